// Where the errors of an output lie (docs/verdicts.md#where-the-errors-lie): for screens and reports.
#pragma once
#include <ATen/core/Tensor.h>

#include "metrics/dtype.h"
#include "outcome/assessment.h"

namespace msprobe::metrics {

/// Of two tensors of one shape on the CPU, floating or complex. An element is bad when its error exceeds both one unit
/// in the last place of `format` and `tolerance` (absolute). The same result with any number of threads.
outcome::Evidence find_evidence(const at::Tensor& golden, const at::Tensor& device, const FloatFormat& format,
                                double tolerance);

}  // namespace msprobe::metrics
