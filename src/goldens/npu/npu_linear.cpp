// x weight^T + bias.
#include <ATen/ATen.h>

#include "goldens/registry.h"

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

/// mask says which of the two gradients is wanted; the other is None.
MSPROBE_FUSED("matmul_backward(Tensor grad, Tensor self, Tensor other, bool[2] mask) -> (Tensor, Tensor)") {
  auto g = gradients([](const auto& in) { return at::matmul(in[0], in[1]); },
                     {call.tensor("self"), call.tensor("other")}, call.tensor("grad"));
  const auto& mask = call["mask"].get<inputs::List>().items;
  auto wanted = [&](size_t i) -> ops::Value {
    const bool* on = i < mask.size() ? mask[i].get_if<bool>() : nullptr;
    if (on != nullptr && !*on) return inputs::None{};
    return g[i];
  };
  return results({wanted(0), wanted(1)});
}

}  // namespace msprobe::goldens
