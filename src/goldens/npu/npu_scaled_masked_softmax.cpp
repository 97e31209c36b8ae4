// softmax over the last dimension of x * scale, masked places replaced by -10000 (so a row that is masked whole gives
// 1/n).
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {
namespace {

constexpr double kMasked = -10000.0;  // Ascend's documentation of the operator

at::Tensor effective_mask(const Call& call) {
  at::Tensor mask = call.tensor("mask").to(at::kBool);
  // The strict upper triangle of the mask's shape takes the mask's place.
  return call.boolean("fixed_triu_mask") ? at::triu(at::ones_like(mask), 1) : mask;
}

}  // namespace

MSPROBE_FUSED(
    "npu_scaled_masked_softmax(Tensor x, Tensor mask, Scalar scale=1, bool fixed_triu_mask=False) -> Tensor") {
  at::Tensor scaled = call.tensor("x") * call.number("scale");
  return at::softmax(at::masked_fill(scaled, effective_mask(call), kMasked), -1);
}

MSPROBE_FUSED(
    "npu_scaled_masked_softmax_backward(Tensor y_grad, Tensor y, Tensor mask, Scalar scale, bool fixed_triu_mask) -> "
    "Tensor") {
  at::Tensor g = call.tensor("y_grad"), y = call.tensor("y");
  at::Tensor gx = (g - at::sum(g * y, {-1}, /*keepdim=*/true)) * y * call.number("scale");
  return at::masked_fill(gx, effective_mask(call), 0);
}

}  // namespace msprobe::goldens
