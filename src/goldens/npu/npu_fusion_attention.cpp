// Ascend's fused attention, forward and gradient; keep_prob is taken as 1.
#include <ATen/ATen.h>

#include "goldens/npu/shared/attention.h"

namespace msprobe::goldens {

/// Outputs beyond the first are the kernel's own bookkeeping and are not judged.
MSPROBE_FUSED(
    "npu_fusion_attention(Tensor query, Tensor key, Tensor value, int head_num, str input_layout, Tensor? pse=None, "
    "Tensor? "
    "padding_mask=None, Tensor? atten_mask=None, float scale=1., float keep_prob=1., int pre_tockens=2147483647, int "
    "next_tockens=2147483647, int inner_precise=0, int[]? prefix=None, int[]? actual_seq_qlen=None, int[]? "
    "actual_seq_kvlen=None, int sparse_mode=0, bool gen_mask_parallel=True, bool sync=False, str softmax_layout=\"\", "
    "Tensor? "
    "sink=None, Tensor? dropout_mask=None, int seed=0, int offset=0) -> (Tensor, Tensor, Tensor, Tensor, int, int, "
    "int)",
    1) {
  at::Tensor q = call.tensor("query");
  auto r = attention(q, call.tensor("key"), call.tensor("value"), attention_options(call, "scale"));
  return results({r.output, r.softmax_max, r.softmax_sum, at::empty({0}, q.options().requires_grad(false)), 0, 0, 0});
}

MSPROBE_FUSED(
    "npu_fusion_attention_grad(Tensor query, Tensor key, Tensor value, Tensor dy, int head_num, str input_layout, *, "
    "Tensor? "
    "pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, Tensor? softmax_max=None, Tensor? softmax_sum=None, "
    "Tensor? "
    "softmax_in=None, Tensor? attention_in=None, float scale_value=1., float keep_prob=1., int pre_tockens=2147483647, "
    "int "
    "next_tockens=2147483647, int inner_precise=0, int seed=0, int offset=0, int numels=0, int[]? prefix=None, int[]? "
    "actual_seq_qlen=None, int[]? actual_seq_kvlen=None, int sparse_mode=0, bool gen_mask_parallel=True, bool "
    "sync=False, str "
    "softmax_layout=\"\", Tensor? sink=None) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    3) {
  auto options = attention_options(call, "scale_value");
  auto g = gradients([&](const auto& in) { return attention(in[0], in[1], in[2], options).output; },
                     {call.tensor("query"), call.tensor("key"), call.tensor("value")}, call.tensor("dy"));
  return results({g[0], g[1], g[2]});
}

}  // namespace msprobe::goldens
