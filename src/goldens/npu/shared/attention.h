// The function that Ascend's fused attention computes, apart from the many ways of writing its arguments down.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

/// Arguments of npu_fusion_attention that matter to its value.
struct AttentionOptions {
  std::string layout;  ///< BSH, SBH, BSND, BNSD, TND
  int64_t heads = 0;   ///< query heads N1
  at::Tensor pse;      ///< added to q k^T before the scale; undefined: none
  at::Tensor mask;     ///< atten_mask, 1 = hidden; undefined: nothing is hidden
  double scale = 1;
  int64_t pre_tokens = 0, next_tokens = 0;
  std::vector<int64_t> prefix;
  std::vector<int64_t> query_ends, key_ends;  ///< TND: running ends of the sequences
  int64_t sparse_mode = 0;
  std::string softmax_layout;
  at::Tensor sink;  ///< (N1): one more logit a head, without a value
  /// Through scaled_dot_product_attention (flash attention and its like) where that is the same function; the softmax's
  /// max and sum are then nan, since its kernels keep them to themselves.
  bool kernel = false;
};

struct AttentionResult {
  at::Tensor output;                    ///< in the input layout
  at::Tensor softmax_max, softmax_sum;  ///< float32, (B, N1, Sq, 8); TND (T, N1, 8)
};

/// q, k, v in options.layout. Query head n uses key/value head n / (N1 / N2); v may have a smaller head size.
AttentionResult attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const AttentionOptions& options);

/// Reads the options that npu_fusion_attention and its gradient share; `scale` is named differently in the two. On CUDA
/// they ask for the kernel.
AttentionOptions attention_options(const Call& call, std::string_view scale);

}  // namespace msprobe::goldens
