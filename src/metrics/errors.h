// The errors that an assessment rests on (docs/verdicts.md#the-yardsticks): of the device, and of the golden rounded to
// the device's format, against the golden, in one pass.
#pragma once
#include <cstdint>

#include "metrics/dtype.h"
#include "metrics/pair_view.h"
#include "outcome/assessment.h"

namespace msprobe::metrics {

struct Measure {
  outcome::Errors errors;
  double max_small = 0;  ///< largest error of the elements that are too small for a relative one
};

struct Measured {
  Measure device, rounded;
  int64_t elements = 0;  ///< of the pair
};

struct GoldenSize {
  double largest = 0;  ///< of |b|, finite ones
  double floor = 0;    ///< |b| from which on an element has a relative error
};

/// `format`: to which the golden is rounded. Floats, or complex numbers by their moduli. The same bits with any number
/// of threads.
Measured measure(const PairView& view, const Dtype& golden, const Dtype& device, const FloatFormat& format,
                 const GoldenSize& size);

}  // namespace msprobe::metrics
