// The pass over golden and device that every figure comes from: once through both, in blocks, on all threads.
#pragma once
#include <optional>

#include "metrics/dtype.h"
#include "metrics/pair_view.h"
#include "metrics/partial.h"

namespace msprobe::metrics {

/// Floating golden and floating device.
Partial accumulate_floats(const PairView& view, const Dtype& golden, const Dtype& device, const KernelLimits& limits);

/// Complex numbers: |b|, |d| and |d - b| are moduli, the cosine is that of the components; no balance, no ULP.
Partial accumulate_complex(const PairView& view, const Dtype& golden, const Dtype& device, const KernelLimits& limits);

/// Sums that squares of very large or very small doubles do not spoil: dot, golden_square, device_square over what is
/// finite on both sides, and square over normal elements.
void add_products(const double* golden, const double* device, int64_t n, const KernelLimits& limits, Partial& out);

/// True when all golden elements are equal (nan to nan); reads up to the first that is not.
bool is_constant(const PairView& view, const Dtype& golden);

/// The first element, in the order of the view, that is inf or nan on one side only or of different kind or sign once
/// the golden is rounded to `format`; floats.
struct Disagreement {
  int64_t index;
  double golden, device;
};
std::optional<Disagreement> first_disagreement(const PairView& view, const Dtype& golden, const Dtype& device,
                                               const FloatFormat& format);

/// Elements that are exactly zero on each side; any type.
struct Zeros {
  int64_t golden, device;
};
Zeros count_zeros(const PairView& view, const Dtype& golden, const Dtype& device);

}  // namespace msprobe::metrics
