// Tensors filled from a range by the generator of seed.h. Bits are the same on every host: integer arithmetic and IEEE
// operations only, no library function whose last bit may differ, and every product that an addition follows is exact,
// so that a fused multiply-add, which some compilers and processors choose, gives the same result as two operations.
//
// Words used, e = index of the element in the flattened tensor:
//   integers, bool  word(e): low + (word(e) * (high - low + 1) >> 64), exact
//   float64         word(e): u = its upper 53 bits / 2^53, in two parts (26 upper, 27 lower bits);
//                   low + upper * span + lower * span, span = high - low rounded up to 26 bits, cut to high
//   other floating  half of word(e / 2), the lower half first: u = its upper 24 bits / 2^24;
//                   low + u * span in float64, span rounded up to 29 bits, cut to high, rounded to float32, then to the
//                   dtype
//   complex         word(2 e): modulus as float64; word(2 e + 1): direction, the halves as signed coordinates of a
//   point,
//                   drawn again (w -> mix64(w + gamma)) while it lies outside the circle of radius 2^31 or within 2^20
//                   of the centre; complex64: in float64, then rounded; complex32: by way of complex64
// float64 bounds beyond 2^1000 are drawn at a quarter of their size (the span would overflow), bounds below 2^-400 at
// 2^600 times it (products would lose bits).
#pragma once
#include <ATen/core/Tensor.h>

#include "dump/dtype.h"
#include "inputs/range.h"
#include "inputs/seed.h"

namespace msprobe::inputs {

/// A contiguous CPU tensor. Throws Error (where = label) when this LibTorch has no such dtype, sizes are negative or
/// too many, or memory does not suffice.
at::Tensor empty_tensor(const std::vector<int64_t>& sizes, dump::Dtype dtype, const std::string& label);

/// Fill `tensor` (contiguous, CPU, of the dtype's scalar type) and plant the extremes: first element low, last high.
void fill_integers(at::Tensor& tensor, dump::Dtype dtype, const IntegerRange& range, const Words& words);
void fill_floating(at::Tensor& tensor, dump::Dtype dtype, const FloatRange& range, const Words& words);
void fill_complex(at::Tensor& tensor, dump::Dtype dtype, const FloatRange& range, const Words& words);

/// Draws what `meta` describes: range, values, planted extremes. requires_grad is left to the caller.
at::Tensor draw(const dump::TensorMeta& meta, dump::Dtype dtype, const Words& words, const RangeContext& context);

}  // namespace msprobe::inputs
