// Two tensors of one shape, read side by side in blocks, whatever their strides. No copy larger than a block is made.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

namespace msprobe::metrics {

class PairView {
 public:
  /// kMemory: the order in which numpy walks the difference of the two (that of the memory where both agree in it),
  /// which is also the fastest. kRowMajor: the order of the indices.
  enum class Order { kMemory, kRowMajor };

  /// Both dense (strided), on the CPU, of equal sizes; they must outlive the view.
  PairView(const at::Tensor& golden, const at::Tensor& device, Order order);

  int64_t elements() const { return elements_; }
  /// True when the order is that of the indices.
  bool row_major() const { return row_major_; }

  /// Elements [begin, begin + count) side by side: in place where they lie so, else gathered into `scratch`.
  const void* golden(int64_t begin, int64_t count, void* scratch) const { return read(golden_, begin, count, scratch); }
  const void* device(int64_t begin, int64_t count, void* scratch) const { return read(device_, begin, count, scratch); }

 private:
  using Extents = c10::SmallVector<int64_t, 6>;
  struct Side {
    const char* data = nullptr;
    int64_t bytes = 0;  ///< of an element
    Extents strides;    ///< in elements, outermost first
    bool flat = false;
  };
  const void* read(const Side& side, int64_t begin, int64_t count, void* scratch) const;
  void gather(const Side& side, int64_t begin, int64_t count, char* out) const;

  int64_t elements_ = 0;
  bool row_major_ = true;
  Extents sizes_;
  Side golden_, device_;
};

}  // namespace msprobe::metrics
