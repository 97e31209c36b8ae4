// Softmax over the experts and its k largest; equal scores keep the experts' order.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("npu_moe_gating_top_k_softmax(Tensor x, Tensor? finished=None, int k=1) -> (Tensor, Tensor, Tensor)") {
  at::Tensor x = call.tensor("x");
  int64_t k = call.integer("k"), experts = x.size(-1);
  TORCH_CHECK(experts > 0 && 0 <= k && k <= experts, "npu_moe_gating_top_k_softmax: ", k, " of ", experts, " experts");
  auto [sorted, order] = at::sort(at::softmax(x, -1), /*stable=*/true, /*dim=*/-1, /*descending=*/true);
  at::Tensor y = sorted.slice(-1, 0, k), index = order.slice(-1, 0, k).to(at::kInt);
  if (at::Tensor finished = optional_tensor(call, "finished"); finished.defined())
    index = at::masked_fill(index, finished.to(at::kBool).unsqueeze(-1), experts);
  int64_t rows = x.numel() / experts;
  at::Tensor row = at::arange(rows * k, at::TensorOptions(at::kInt).device(x.device())).reshape({k, rows}).t();
  return results({y, index.contiguous(), row.reshape(index.sizes()).contiguous()});
}

}  // namespace msprobe::goldens
