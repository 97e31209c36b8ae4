// x rsqrt(mean(x^2) + eps) gamma over the last gamma.dim() dimensions (Zhang and Sennrich, 2019), and the rsqrt itself.
#include <ATen/ATen.h>

#include <numeric>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {
namespace {

std::vector<int64_t> normalized_dims(const at::Tensor& x, const at::Tensor& gamma) {
  TORCH_CHECK(gamma.dim() <= x.dim(), "npu_rms_norm: gamma has ", gamma.dim(), " dimensions, the input ", x.dim());
  std::vector<int64_t> dims(gamma.dim());
  std::iota(dims.begin(), dims.end(), x.dim() - gamma.dim());
  return dims;
}

}  // namespace

MSPROBE_FUSED("npu_rms_norm(Tensor input, Tensor gamma, float epsilon=1e-06) -> (Tensor, Tensor)") {
  at::Tensor input = call.tensor("input"), gamma = call.tensor("gamma");
  at::ScalarType inner = statistics_dtype(input);
  at::Tensor x = input.to(inner);
  at::Tensor rstd = at::rsqrt(at::mean(x * x, normalized_dims(x, gamma), /*keepdim=*/true) + call.number("epsilon"));
  at::Tensor y = (x * rstd * gamma.to(inner)).to(input.scalar_type());
  // Only the first output has a gradient: torch_npu keeps rstd for its backward.
  return results({y, rstd.detach()});
}

MSPROBE_FUSED("npu_rms_norm_backward(Tensor dy, Tensor input, Tensor gamma, Tensor rstd) -> (Tensor, Tensor)") {
  at::Tensor input = call.tensor("input"), gamma = call.tensor("gamma");
  at::ScalarType inner = statistics_dtype(input);
  at::Tensor x = input.to(inner), g = call.tensor("dy").to(inner), rstd = call.tensor("rstd").to(inner);
  at::Tensor gg = g * gamma.to(inner), normed = x * rstd;
  at::Tensor gx = (gg - normed * at::mean(gg * normed, normalized_dims(x, gamma), /*keepdim=*/true)) * rstd;
  std::vector<int64_t> leading(x.dim() - gamma.dim());
  std::iota(leading.begin(), leading.end(), 0);
  at::Tensor ggamma = g * normed;
  if (!leading.empty()) ggamma = at::sum(ggamma, leading);
  return results({gx.to(input.scalar_type()), ggamma.to(gamma.scalar_type())});
}

}  // namespace msprobe::goldens
