// Rotary position embedding: r1 x + r2 rot(x) (Su et al., "RoFormer", 2021); r1 holds cosines, r2 sines.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {
namespace {

at::Tensor rotated(const at::Tensor& x, const std::string& mode) {
  if (mode == "half") {
    TORCH_CHECK(x.dim() > 0 && x.size(-1) != 1, "npu_rotary_mul: the last dimension of ", x.sizes(),
                " has no two halves");
    auto halves = at::chunk(x, 2, -1);
    return at::cat({-halves[1], halves[0]}, -1);
  }
  // "reference" is the word that Message has for a golden.
  TORCH_CHECK(mode == "interleave", "npu_rotary_mul: rotary_mode \"", mode,
              "\" exists on Ascend 950 only and has no reference; half and interleave have");
  auto even = x.slice(-1, 0, x.size(-1), 2), odd = x.slice(-1, 1, x.size(-1), 2);
  return at::stack({-odd, even}, -1).reshape(x.sizes());
}

}  // namespace

MSPROBE_FUSED(
    "npu_rotary_mul(Tensor input, Tensor r1, Tensor r2, str rotary_mode=\"half\", Tensor? rotate=None) -> Tensor") {
  at::Tensor x = call.tensor("input");
  at::Tensor r1 = call.tensor("r1").to(x.scalar_type()), r2 = call.tensor("r2").to(x.scalar_type());
  at::Tensor rotate = optional_tensor(call, "rotate");  // a D x D matrix stands for rot, whatever the mode
  at::Tensor turned =
      rotate.defined() ? at::matmul(x, rotate.to(x.scalar_type())) : rotated(x, call.string("rotary_mode"));
  return r1 * x + r2 * turned;
}

MSPROBE_FUSED(
    "npu_rotary_mul_backward(Tensor grad, Tensor input, Tensor r1, Tensor r2, str rotary_mode=\"half\") -> (Tensor, "
    "Tensor, "
    "Tensor)") {
  std::string mode = call.string("rotary_mode");
  auto g = gradients([&](const auto& in) { return in[1] * in[0] + in[2] * rotated(in[0], mode); },
                     {call.tensor("input"), call.tensor("r1"), call.tensor("r2")}, call.tensor("grad"));
  return results({g[0], g[1], g[2]});
}

}  // namespace msprobe::goldens
