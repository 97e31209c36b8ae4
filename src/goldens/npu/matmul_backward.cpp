// Gradients of a b, for the output gradient.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

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
