// x sigmoid(1.702 x): Hendrycks and Gimpel's approximation of GELU, which Ascend computes as
// x exp(0.851 (x - |x|)) / (1 + exp(-1.702 |x|)) to keep the exponent from overflowing.
#include <ATen/ATen.h>

#include "goldens/registry.h"

namespace msprobe::goldens {
namespace {

at::Tensor fast_gelu(const at::Tensor& x) {
  return x * at::sigmoid(x * 1.702);
}

}  // namespace

MSPROBE_FUSED("fast_gelu(Tensor input) -> Tensor") {
  return fast_gelu(call.tensor("input"));
}

MSPROBE_FUSED("npu_fast_gelu(Tensor input) -> Tensor") {
  return fast_gelu(call.tensor("input"));
}

MSPROBE_FUSED("npu_fast_gelu_backward(Tensor grad, Tensor input) -> Tensor") {
  return gradients([](const auto& in) { return fast_gelu(in[0]); }, {call.tensor("input")}, call.tensor("grad"))[0];
}

}  // namespace msprobe::goldens
