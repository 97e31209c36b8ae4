#include "goldens/npu/shared/attention_mask.h"

#include <ATen/ATen.h>

namespace msprobe::goldens {
namespace {

constexpr int64_t kCompressedMask = 2048;  // side of the triangle that stands for modes 2, 3, 4, 7, 8
constexpr int64_t kPrefixMaskRows = 3072;  // rows of mode 6's mask

// The pattern of mode 2, or of 3, on a square.
bool is_causal(const AttentionOptions& o, int64_t mode, int64_t rows, int64_t columns) {
  return o.mask.defined() && o.mask.dim() == 2 && o.mask.size(0) == kCompressedMask &&
         o.mask.size(1) == kCompressedMask && (mode == 2 || mode == 3) && rows == columns;
}

at::Tensor places(const AttentionOptions& o, int64_t mode, int64_t batch, int64_t queries, int64_t keys) {
  if (!o.mask.defined()) return {};
  at::Tensor mask = o.mask.to(at::kBool);
  bool patterned = mode == 2 || mode == 3 || mode == 4 || mode == 6;
  bool compressed = mask.dim() == 2 && mask.size(1) == kCompressedMask &&
                    mask.size(0) == (mode == 6 ? kPrefixMaskRows : kCompressedMask);
  if (!patterned || !compressed) return of_sequence(mask, batch, queries, keys);
  auto options = at::TensorOptions(at::kLong).device(mask.device());
  at::Tensor i = at::arange(queries, options).unsqueeze(1), j = at::arange(keys, options).unsqueeze(0);
  int64_t corner = keys - queries;  // of the lower right
  switch (mode) {
    case 2:
      return j > i;
    case 3:
      return j > i + corner;
    case 4:
      return at::logical_or(j<i + (corner - o.pre_tokens), j> i + (corner + o.next_tokens));
    default: {
      TORCH_CHECK(batch < static_cast<int64_t>(o.prefix.size()), "npu_fusion_attention: sparse_mode 6 needs prefix[",
                  batch, "]");
      return at::logical_and(j > i + corner, j >= o.prefix[static_cast<size_t>(batch)]);
    }
  }
}

}  // namespace

at::Tensor of_sequence(const at::Tensor& t, int64_t batch, int64_t queries, int64_t keys) {
  if (!t.defined()) return t;
  at::Tensor x = t;
  if (x.dim() == 4) x = x.narrow(0, x.size(0) > batch && x.size(0) > 1 ? batch : 0, 1);
  return x.slice(-2, 0, queries).slice(-1, 0, keys);
}

Hidden hidden_in_sequence(const AttentionOptions& o, int64_t mode, int64_t batch, int64_t queries, int64_t keys) {
  return {places(o, mode, batch, queries, keys), is_causal(o, mode, queries, keys)};
}

Hidden hidden_in_batch(const AttentionOptions& o, int64_t batches, int64_t queries, int64_t keys) {
  if (!o.mask.defined()) return {};
  Hidden hidden{at::Tensor(), is_causal(o, o.sparse_mode, queries, keys)};
  if (o.sparse_mode == 6) {  // the prefix differs from batch to batch
    std::vector<at::Tensor> each;
    for (int64_t b = 0; b < batches; ++b) {
      at::Tensor h = places(o, 6, b, queries, keys);
      each.push_back(h.dim() == 2 ? h.unsqueeze(0).unsqueeze(0) : h);
    }
    hidden.places = at::cat(each, 0);
  } else if (o.mask.dim() == 4 && o.mask.size(0) > 1) {
    hidden.places = o.mask.to(at::kBool).slice(-2, 0, queries).slice(-1, 0, keys);
  } else {
    hidden.places = places(o, o.sparse_mode, 0, queries, keys);
  }
  return hidden;
}

}  // namespace msprobe::goldens
