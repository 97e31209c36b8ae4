// x tanh(softplus(x)) (Misra, 2019).
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("npu_mish(Tensor input) -> Tensor") {
  return at::mish(call.tensor("input"));
}

MSPROBE_FUSED("npu_mish_backward(Tensor grad, Tensor input) -> Tensor") {
  return gradients([](const auto& in) { return at::mish(in[0]); }, {call.tensor("input")}, call.tensor("grad"))[0];
}

}  // namespace msprobe::goldens
