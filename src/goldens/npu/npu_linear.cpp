// x weight^T + bias.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("npu_linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor") {
  at::Tensor y = at::matmul(call.tensor("input"), call.tensor("weight").t());
  at::Tensor bias = optional_tensor(call, "bias");
  return bias.defined() ? y + bias : y;
}

MSPROBE_FUSED("npu_linear_backward(Tensor grad, Tensor input, Tensor weight) -> (Tensor, Tensor)") {
  auto g = gradients([](const auto& in) { return at::matmul(in[0], in[1].t()); },
                     {call.tensor("input"), call.tensor("weight")}, call.tensor("grad"));
  return results({g[0], g[1]});
}

}  // namespace msprobe::goldens
