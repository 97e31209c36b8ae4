// silu(group_norm(x)), and mean and rstd of each group in the input's dtype; rank 2 to 8.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED(
    "npu_group_norm_silu(Tensor input, Tensor? weight, Tensor? bias, int group, float eps=1e-05) -> (Tensor, Tensor, "
    "Tensor)") {
  at::Tensor input = call.tensor("input");
  int64_t n = input.size(0), c = input.size(1), groups = call.integer("group");
  TORCH_CHECK(groups > 0 && c % groups == 0, "npu_group_norm_silu: ", c, " channels do not divide into ", groups,
              " groups");
  at::ScalarType inner = statistics_dtype(input);
  at::Tensor x = input.to(inner).reshape({n, groups, -1});
  at::Tensor mean = at::mean(x, {-1}, /*keepdim=*/true);
  at::Tensor rstd = at::rsqrt(at::mean((x - mean) * (x - mean), {-1}, /*keepdim=*/true) + call.number("eps"));
  at::Tensor y = ((x - mean) * rstd).reshape(input.sizes());
  std::vector<int64_t> channels(input.dim(), 1);
  channels[1] = c;
  if (at::Tensor weight = optional_tensor(call, "weight"); weight.defined()) y = y * weight.to(inner).reshape(channels);
  if (at::Tensor bias = optional_tensor(call, "bias"); bias.defined()) y = y + bias.to(inner).reshape(channels);
  at::ScalarType outer = input.scalar_type();
  return results({at::silu(y).to(outer), mean.reshape({n, groups}).to(outer), rstd.reshape({n, groups}).to(outer)});
}

}  // namespace msprobe::goldens
