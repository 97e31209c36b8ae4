// One step of AdamW (Loshchilov and Hutter, 2017): weight decay apart from the gradient.
#include <ATen/ATen.h>

#include <cmath>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

/// out = (var, m, v) before the step; returns them after it. The powers are those of the step before, so each is
/// multiplied by its beta once more.
MSPROBE_FUSED(
    "npu_apply_adam_w(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar weight_decay, Scalar beta1, Scalar "
    "beta2, Scalar "
    "epsilon, Tensor grad, Tensor? max_grad_norm, bool? amsgrad, bool? maximize, *, Tensor[] out) -> (Tensor, Tensor, "
    "Tensor)") {
  const auto& state = call["out"].get<inputs::List>().items;
  TORCH_CHECK(state.size() == 3, "npu_apply_adam_w: out must hold var, m and v, got ", state.size(), " items");
  at::Tensor var = state[0].get<at::Tensor>(), m = state[1].get<at::Tensor>(), v = state[2].get<at::Tensor>();
  at::Tensor grad = call.tensor("grad");
  if (call.boolean("maximize")) grad = -grad;
  double beta1 = call.number("beta1"), beta2 = call.number("beta2"), lr = call.number("lr"),
         eps = call.number("epsilon");
  // A power of exactly one would divide by zero; the operator moves the difference by eps.
  auto correction = [eps](double power) { return power == 1 ? eps : 1 - power; };
  double correction1 = correction(call.number("beta1_power") * beta1),
         correction2 = correction(call.number("beta2_power") * beta2);
  at::Tensor m1 = m * beta1 + grad * (1 - beta1);
  at::Tensor v1 = v * beta2 + grad * grad * (1 - beta2);
  at::Tensor second = v1;
  if (call.boolean("amsgrad")) {
    at::Tensor former = optional_tensor(call, "max_grad_norm");
    TORCH_CHECK(former.defined(), "npu_apply_adam_w: amsgrad needs max_grad_norm");
    second = at::maximum(former, v1);
  }
  at::Tensor denominator = at::sqrt(second / correction2) + eps;
  return results({var * (1 - lr * call.number("weight_decay")) - m1 * (lr / correction1) / denominator, m1, v1});
}

}  // namespace msprobe::goldens
