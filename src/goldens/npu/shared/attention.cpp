#include "goldens/npu/shared/attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "goldens/npu/shared/attention_mask.h"

namespace msprobe::goldens {
namespace {

constexpr int64_t kCompressedAlibi = 1024;  // rows of a compressed pse
constexpr int64_t kStatisticWidth = 8;      // the NPU writes each row's max and sum eight times

struct Core {
  at::Tensor output, max, sum;  // (B, N1, Sq, Dv), (B, N1, Sq), (B, N1, Sq)
};

// As attend(), by scaled_dot_product_attention; heads are those of q already.
Core by_kernel(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& o,
               const at::Tensor& pse, const Hidden& hidden) {
  ops::Value bias;
  const bool causal = hidden.causal && !pse.defined();
  if (pse.defined()) {
    at::Tensor b = pse.to(q.scalar_type()) * o.scale;
    if (hidden.places.defined()) b = at::masked_fill(b, hidden.places, -std::numeric_limits<double>::infinity());
    bias = ops::Value(b.expand({q.size(0), q.size(1), q.size(2), k.size(2)}));
  } else if (hidden.places.defined() && !causal) {
    // (Sq, Skv) as it is: kernels broadcast it themselves.
    bias = ops::Value(at::logical_not(hidden.places));
  }
  at::Tensor output = ops::aten_t("scaled_dot_product_attention", {q, k, v, bias, 0.0, causal}, {{"scale", o.scale}});
  at::Tensor unknown = at::full({}, std::numeric_limits<double>::quiet_NaN(), q.options().requires_grad(false))
                           .expand({q.size(0), q.size(1), q.size(2)});
  return {output, unknown, unknown};
}

bool fits_kernel(const AttentionOptions& o, const Hidden& hidden) {
  if (!o.kernel || o.sink.defined()) return false;
  // A row without a visible place gives 0 here, nan there.
  return !hidden.places.defined() || hidden.causal || !hidden.places.all(-1).any().item<bool>();
}

// q (B, N1, Sq, D), k (B, N2, Skv, D), v (B, N2, Skv, Dv).
Core attend(const at::Tensor& q, at::Tensor k, at::Tensor v, const AttentionOptions& o, const at::Tensor& pse,
            const Hidden& which) {
  const at::Tensor& hidden = which.places;
  int64_t groups = k.size(1) > 0 ? q.size(1) / k.size(1) : 0;
  TORCH_CHECK(groups >= 1 && groups * k.size(1) == q.size(1), "npu_fusion_attention: ", q.size(1),
              " query heads do not divide into ", k.size(1), " key heads");
  if (groups > 1) {
    k = k.repeat_interleave(groups, 1);
    v = v.repeat_interleave(groups, 1);
  }
  if (fits_kernel(o, which)) return by_kernel(q, k, v, o, pse, which);
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
  if (pse.defined()) scores = scores + pse.to(scores.scalar_type());
  scores = scores * o.scale;
  at::Tensor nothing_visible;
  if (hidden.defined()) {
    // A row without a visible place gives 0; its scores stay finite so that its gradient is 0, not nan.
    nothing_visible = hidden.all(-1, /*keepdim=*/true);
    scores = at::masked_fill(scores, at::logical_and(hidden, at::logical_not(nothing_visible)),
                             -std::numeric_limits<double>::infinity());
  }
  if (o.sink.defined()) {
    at::Tensor sink = o.sink.to(scores.scalar_type()).reshape({1, -1, 1, 1});
    scores = at::cat({scores, sink.expand({scores.size(0), scores.size(1), scores.size(2), 1})}, -1);
  }
  at::Tensor weights = at::softmax(scores, -1);
  at::Tensor max = at::amax(scores.detach(), {-1});
  at::Tensor sum = at::exp(scores.detach() - max.unsqueeze(-1)).sum(-1);
  if (o.sink.defined()) weights = weights.slice(-1, 0, weights.size(-1) - 1);
  if (nothing_visible.defined()) weights = at::masked_fill(weights, nothing_visible, 0);
  return {at::matmul(weights, v), max, sum};
}

at::Tensor heads_first(const at::Tensor& x, const std::string& layout, int64_t heads) {
  if (layout == "BNSD") return x;
  if (layout == "BSND") return x.permute({0, 2, 1, 3});
  TORCH_CHECK(heads > 0, "npu_fusion_attention: ", x.size(2), " numbers a token do not divide into ", heads, " heads");
  int64_t size = x.size(2) / heads;
  if (layout == "BSH") return x.reshape({x.size(0), x.size(1), heads, size}).permute({0, 2, 1, 3});
  TORCH_CHECK(layout == "SBH", "npu_fusion_attention: input_layout \"", layout,
              "\" is none of BSH, SBH, BSND, BNSD, TND");
  return x.reshape({x.size(0), x.size(1), heads, size}).permute({1, 2, 0, 3});
}

at::Tensor in_layout(const at::Tensor& x, const std::string& layout) {
  if (layout == "BNSD") return x;
  if (layout == "BSND") return x.permute({0, 2, 1, 3}).contiguous();
  int64_t b = x.size(0), n = x.size(1), s = x.size(2), d = x.size(3);
  if (layout == "BSH") return x.permute({0, 2, 1, 3}).reshape({b, s, n * d});
  return x.permute({2, 0, 1, 3}).reshape({s, b, n * d});
}

at::Tensor widened(const at::Tensor& statistic) {
  at::Tensor t = statistic.scalar_type() == at::kDouble ? statistic : statistic.to(at::kFloat);
  std::vector<int64_t> shape = t.sizes().vec();
  shape.push_back(kStatisticWidth);
  return t.unsqueeze(-1).expand(shape).contiguous();
}

// Running ends; trailing zeros end the list.
std::vector<int64_t> ends(std::vector<int64_t> list) {
  while (!list.empty() && list.back() == 0) list.pop_back();
  return list;
}

// What is computed sequence by sequence: tensors to be put one behind the other.
struct Pieces {
  std::vector<at::Tensor> outputs, maxima, sums;  // (S, N1, Dv), (N1, S), (N1, S)

  void add(const Core& core) {
    outputs.push_back(core.output[0].permute({1, 0, 2}));
    maxima.push_back(core.max[0]);
    sums.push_back(core.sum[0]);
  }
  // Rows that see no key: padding, or a sequence without one.
  void add_zeros(int64_t rows, const at::Tensor& q, const at::Tensor& v) {
    outputs.push_back(at::zeros({rows, q.size(1), v.size(2)}, q.options()));
    maxima.push_back(at::zeros({q.size(1), rows}, q.options()));
    sums.push_back(at::zeros({q.size(1), rows}, q.options()));
  }
  AttentionResult joined(const std::string& softmax_layout) const {
    auto statistic = [&](const std::vector<at::Tensor>& parts) {
      at::Tensor ntd = at::cat(parts, 1);  // (N1, T)
      return widened(softmax_layout == "TND" ? ntd.t() : ntd.reshape({ntd.size(1), ntd.size(0)}));
    };
    return {at::cat(outputs, 0), statistic(maxima), statistic(sums)};
  }
};

int64_t mode_of_sequence(int64_t mode, int64_t b, int64_t last) {
  if (mode == 7) return b == last ? 4 : 3;
  if (mode == 8) return b == 0 ? 4 : 2;
  return mode;
}

AttentionResult packed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& o) {
  auto q_ends = ends(o.query_ends), k_ends = ends(o.key_ends);
  TORCH_CHECK(!q_ends.empty() && q_ends.size() == k_ends.size(),
              "npu_fusion_attention: layout TND needs actual_seq_qlen and actual_seq_kvlen of one length, got ",
              q_ends.size(), " and ", k_ends.size());
  auto piece = [](const at::Tensor& t, int64_t from, int64_t n) {
    return t.narrow(0, from, n).permute({1, 0, 2}).unsqueeze(0);
  };
  Pieces pieces;
  int64_t q0 = 0, k0 = 0;
  auto last = static_cast<int64_t>(q_ends.size()) - 1;
  for (int64_t b = 0; b <= last; ++b) {
    TORCH_CHECK(q_ends[b] >= q0 && k_ends[b] >= k0 && q_ends[b] <= q.size(0) && k_ends[b] <= k.size(0),
                "npu_fusion_attention: actual_seq_qlen / actual_seq_kvlen must rise and stay within the tensors");
    int64_t rows = q_ends[b] - q0, columns = k_ends[b] - k0;
    if (rows > 0 && columns > 0)
      pieces.add(attend(piece(q, q0, rows), piece(k, k0, columns), piece(v, k0, columns), o,
                        of_sequence(o.pse, b, rows, columns),
                        hidden_in_sequence(o, mode_of_sequence(o.sparse_mode, b, last), b, rows, columns)));
    else if (rows > 0)
      pieces.add_zeros(rows, q, v);
    q0 = q_ends[b];
    k0 = k_ends[b];
  }
  if (q0 < q.size(0)) pieces.add_zeros(q.size(0) - q0, q, v);  // beyond the last sequence
  return pieces.joined(o.softmax_layout);
}

}  // namespace

AttentionResult attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& o) {
  if (o.layout == "TND") return packed(q, k, v, o);
  at::Tensor qh = heads_first(q, o.layout, o.heads);
  // BSH and SBH do not tell the key heads; query and key share the head size.
  bool flat = o.layout == "BSH" || o.layout == "SBH";
  int64_t key_heads = flat && qh.size(3) > 0 ? k.size(2) / qh.size(3) : 0;
  at::Tensor kh = heads_first(k, o.layout, key_heads), vh = heads_first(v, o.layout, key_heads);
  int64_t rows = qh.size(2), columns = kh.size(2);
  TORCH_CHECK(!(o.pse.defined() && o.pse.size(-2) == kCompressedAlibi && rows > kCompressedAlibi),
              "npu_fusion_attention: pse of ", kCompressedAlibi, " rows for ", rows,
              " queries is a compressed alibi, which has no reference");  // the word that Message has for a golden
  Core c = attend(qh, kh, vh, o, o.pse, hidden_in_batch(o, qh.size(0), rows, columns));
  return {in_layout(c.output, o.layout), widened(c.max), widened(c.sum)};
}

AttentionOptions attention_options(const Call& call, std::string_view scale) {
  AttentionOptions o;
  o.kernel = call.tensor("query").is_cuda();
  o.layout = call.string("input_layout");
  o.heads = call.integer("head_num");
  o.pse = optional_tensor(call, "pse");
  o.mask = optional_tensor(call, "atten_mask");
  o.scale = call.number(scale);
  // A window wider than any tensor is as wide as one of 2^62, to which sizes can be added.
  constexpr int64_t kWidest = int64_t{1} << 62;
  o.pre_tokens = std::clamp(call.integer("pre_tockens"), -kWidest, kWidest);
  o.next_tokens = std::clamp(call.integer("next_tockens"), -kWidest, kWidest);
  if (call.has("prefix")) o.prefix = call.integers("prefix");
  if (call.has("actual_seq_qlen")) o.query_ends = call.integers("actual_seq_qlen");
  if (call.has("actual_seq_kvlen")) o.key_ends = call.integers("actual_seq_kvlen");
  o.sparse_mode = call.integer("sparse_mode");
  o.softmax_layout = call.has("softmax_layout") ? call.string("softmax_layout") : "";
  o.sink = optional_tensor(call, "sink");
  return o;
}

}  // namespace msprobe::goldens
