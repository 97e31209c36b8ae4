// Profile mindstudio: the figures as MindStudio msprobe's numpy code forms them, to the last bit: float32 arithmetic
// where numpy uses it, numpy's order of summation, OpenBLAS's dot product. What is summed there over a compacted copy
// takes a second pass.
#pragma once
#include "metrics/dtype.h"
#include "metrics/pair_view.h"
#include "metrics/partial.h"

namespace msprobe::metrics {

/// numpy computes in float32 for this pair (a bfloat16 device makes both sides float32); else in float64.
bool numpy_uses_single(const Dtype& golden, const Dtype& device);

/// float16, bfloat16, float32 and float64 on both sides. Fills the counts, the maxima (nan as numpy has it), and
/// numpy_mean_square, numpy_mean_relative and numpy_cosine of Partial. `memory` and `row_major` are the two views of
/// one pair.
Partial accumulate_like_numpy(const PairView& memory, const PairView& row_major, const Dtype& golden,
                              const Dtype& device, const NumpyLimits& limits);

}  // namespace msprobe::metrics
