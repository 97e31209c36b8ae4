// What indices that differ select, and the verdict on them (indices.cpp, pool_indices.cpp).
#pragma once
#include <ATen/core/Tensor.h>

#include <cmath>
#include <cstring>

#include "metrics/blocks.h"
#include "metrics/dtype.h"
#include "outcome/row.h"

namespace msprobe::metrics {

/// The values that one slice of indices selects from.
class Slice {
 public:
  explicit Slice(const at::Tensor& values)
      : values_(values),
        dtype_(dtype_of(values.scalar_type())),
        data_(static_cast<const char*>(values.const_data_ptr())),
        size_(values.size(-1)) {}

  /// Moves to slice `number`, counted over all dimensions but the last.
  void move_to(int64_t number, bool shared) {
    base_ = 0;
    if (shared) return;
    for (int64_t i = values_.dim() - 2; i >= 0; --i) {
      base_ += number % values_.size(i) * values_.stride(i);
      number /= values_.size(i);
    }
  }
  bool holds(int64_t index) const { return index >= 0 && index < size_; }
  bool equal(int64_t a, int64_t b) const {
    const char *x = at(a), *y = at(b);
    if (std::memcmp(x, y, dtype_.bytes) == 0) return true;
    if (dtype_.kind != Kind::kFloat) return false;
    const double p = number(x), q = number(y);
    return p == q || (std::isnan(p) && std::isnan(q));
  }
  int64_t size() const { return size_; }

 private:
  const char* at(int64_t index) const { return data_ + (base_ + index * values_.stride(-1)) * dtype_.bytes; }
  double number(const char* at) const {
    float single;
    double value;
    return *as_double(dtype_, at, 1, &single, &value);
  }
  const at::Tensor& values_;
  const Dtype& dtype_;
  const char* data_;
  const int64_t size_;
  int64_t base_ = 0;
};

/// Indices that differ from the golden's, each counted once.
struct IndexTally {
  int64_t ties = 0, other_value = 0, out_of_range = 0, repeated = 0, outside_window = 0;
  int64_t wrong() const { return other_value + out_of_range + repeated + outside_window; }
};

/// Share of wrong ones, Status and Message. `elements`: all indices; `size`: of what they select from.
void judge_indices(const IndexTally& tally, int64_t elements, int64_t size, outcome::Row& row);

}  // namespace msprobe::metrics
