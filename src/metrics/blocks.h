// Blocks of a pair of floating tensors in the types that the kernels take.
#pragma once
#include <cmath>
#include <cstdint>

#include "metrics/dtype.h"
#include "metrics/kernel.h"
#include "metrics/pair_view.h"

namespace msprobe::metrics {

/// Elements that are converted and looked at together: they stay in the first two levels of the cache.
constexpr int64_t kBlock = 2048;
/// Elements of one piece of parallel work.
constexpr int64_t kPiece = 32 * kBlock;

/// `count` numbers of a floating storage as floats (not kDouble) or doubles; exact. `floats` holds count floats.
inline const float* as_single(const Dtype& dtype, const void* raw, int64_t count, float* floats) {
  switch (dtype.storage) {
    case Storage::kHalf:
      kernels().half_to_single(static_cast<const uint16_t*>(raw), floats, count);
      return floats;
    case Storage::kBfloat16:
      kernels().bfloat16_to_single(static_cast<const uint16_t*>(raw), floats, count);
      return floats;
    case Storage::kByteFloat:
      for (int64_t i = 0; i < count; ++i) floats[i] = dtype.byte_values[static_cast<const uint8_t*>(raw)[i]];
      return floats;
    default:
      return static_cast<const float*>(raw);
  }
}
inline const double* as_double(const Dtype& dtype, const void* raw, int64_t count, float* floats, double* doubles) {
  if (dtype.storage == Storage::kDouble) return static_cast<const double*>(raw);
  kernels().single_to_double(as_single(dtype, raw, count, floats), doubles, count);
  return doubles;
}

/// Reads blocks of up to kBlock numbers (complex: components of up to kBlock elements). One a thread; large, so keep it
/// on the stack of the function that loops.
class BlockReader {
 public:
  BlockReader(const PairView& view, const Dtype& golden, const Dtype& device)
      : view_(view), golden_(golden), device_(device), parts_(golden.kind == Kind::kComplex ? 2 : 1) {}

  const double* golden(int64_t begin, int64_t count) {
    return as_double(golden_, view_.golden(begin, count, golden_raw_), count * parts_, floats_, golden_doubles_);
  }
  const float* golden_single(int64_t begin, int64_t count) {
    return as_single(golden_, view_.golden(begin, count, golden_raw_), count * parts_, golden_floats_);
  }
  const double* device_double(int64_t begin, int64_t count) {
    return as_double(device_, view_.device(begin, count, device_raw_), count * parts_, floats_, device_doubles_);
  }
  const float* device_single(int64_t begin, int64_t count) {
    return as_single(device_, view_.device(begin, count, device_raw_), count * parts_, device_floats_);
  }

 private:
  const PairView& view_;
  const Dtype &golden_, &device_;
  const int64_t parts_;
  alignas(64) char golden_raw_[kBlock * 16];
  alignas(64) char device_raw_[kBlock * 16];
  alignas(64) float floats_[kBlock * 2];
  alignas(64) float golden_floats_[kBlock * 2];
  alignas(64) float device_floats_[kBlock * 2];
  alignas(64) double golden_doubles_[kBlock * 2];
  alignas(64) double device_doubles_[kBlock * 2];
};

/// True when all are `first`; nan counts as equal to nan.
inline bool all_equal(const double* values, int64_t count, double first) {
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] != first && (values[i] == values[i] || first == first)) return false;
  }
  return true;
}

}  // namespace msprobe::metrics
