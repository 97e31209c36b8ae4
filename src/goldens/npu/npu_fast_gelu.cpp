#include "goldens/npu/shared/fast_gelu.h"
#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("npu_fast_gelu(Tensor input) -> Tensor") {
  return fast_gelu(call.tensor("input"));
}

MSPROBE_FUSED("npu_fast_gelu_backward(Tensor grad, Tensor input) -> Tensor") {
  return gradients([](const auto& in) { return fast_gelu(in[0]); }, {call.tensor("input")}, call.tensor("grad"))[0];
}

}  // namespace msprobe::goldens
