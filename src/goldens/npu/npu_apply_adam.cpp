// One step of Adam (Kingma and Ba, 2014) with TensorFlow's arrangement of the bias correction.
#include <ATen/ATen.h>

#include <cmath>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

/// out = (var, m, v) before the step; returns them after it. The scalars stay in double precision: the NPU rounds them
/// to var's dtype, which is a difference worth seeing.
MSPROBE_FUSED(
    "npu_apply_adam(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar beta1, Scalar beta2, Scalar epsilon, "
    "Tensor grad, "
    "bool? use_locking, bool? use_nesterov, *, Tensor[] out) -> (Tensor, Tensor, Tensor)") {
  const auto& state = call["out"].get<inputs::List>().items;
  TORCH_CHECK(state.size() == 3, "npu_apply_adam: out must hold var, m and v, got ", state.size(), " items");
  at::Tensor var = state[0].get<at::Tensor>(), m = state[1].get<at::Tensor>(), v = state[2].get<at::Tensor>();
  at::Tensor grad = call.tensor("grad");
  double beta1 = call.number("beta1"), beta2 = call.number("beta2");
  at::Tensor m1 = m + (grad - m) * (1 - beta1);
  at::Tensor v1 = v + (grad * grad - v) * (1 - beta2);
  double rate = call.number("lr") * std::sqrt(1 - call.number("beta2_power")) / (1 - call.number("beta1_power"));
  at::Tensor direction = call.boolean("use_nesterov") ? m1 * beta1 + grad * (1 - beta1) : m1;
  return results({var - direction * rate / (at::sqrt(v1) + call.number("epsilon")), m1, v1});
}

}  // namespace msprobe::goldens
