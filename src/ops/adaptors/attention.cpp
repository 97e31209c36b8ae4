// torch.nn.functional.multi_head_attention_forward, step by step as Python does it: the same operators in the same
// order, so that results and gradients are the ones of torch.nn.MultiheadAttention's slow path.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

constexpr const char* kName = "multi_head_attention_forward";
constexpr const char* kDeclaration =
    "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, "
    "dropout_p, "
    "out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None, "
    "use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, "
    "static_v=None, average_attn_weights=True, is_causal=False";

struct Projected {
  at::Tensor q, k, v;
};

Value parts(const Value& bias, std::initializer_list<int64_t> sizes) {
  return bias.is_none() ? list_of(std::vector<Value>(sizes.size()))
                        : aten("split_with_sizes", {bias, list_of(sizes), 0});
}

const Value& part(const Value& list, size_t i) {
  return list.get<List>().items.at(i);
}

at::Tensor linear(const at::Tensor& x, const Value& weight, const Value& bias) {
  return aten_t("linear", {x, weight, bias});
}

// [.., n * E] -> n tensors [.., E], contiguous one after the other
std::vector<at::Tensor> taken_apart(const at::Tensor& projected, int64_t n, int64_t embed) {
  const at::Tensor split = aten_t("unflatten", {projected, -1, list_of({n, embed})});
  const at::Tensor front = aten_t("transpose", {aten_t("unsqueeze", {split, 0}), 0, -2});
  const at::Tensor stacked = aten_t("contiguous", {aten_t("squeeze", {front, -2})});
  std::vector<at::Tensor> result;
  for (int64_t i = 0; i < n; ++i) result.push_back(aten_t("select", {stacked, 0, i}));
  return result;
}

// A tensor that the program gave twice stands in the dump as two of the same bits.
bool one_tensor(const at::Tensor& a, const at::Tensor& b) {
  return a.is_same(b) || (a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
                          aten("equal", {a.detach(), b.detach()}).get<bool>());
}

Projected project_apart(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Value& weight,
                        const Value& bias) {
  const Value weights = aten("chunk", {weight, 3});
  const Value biases = bias.is_none() ? list_of(std::vector<Value>(3)) : aten("chunk", {bias, 3});
  return {linear(q, part(weights, 0), part(biases, 0)), linear(k, part(weights, 1), part(biases, 1)),
          linear(v, part(weights, 2), part(biases, 2))};
}

// One matrix product for all three, or one for the query and one for the rest: k is v.
Projected project_together(const at::Tensor& q, const at::Tensor& k, bool self_attention, const Value& weight,
                           const Value& bias) {
  const int64_t embed = q.size(-1);
  if (self_attention) {
    const auto all = taken_apart(linear(q, weight, bias), 3, embed);
    return {all[0], all[1], all[2]};
  }
  const Value weights = parts(weight, {embed, embed * 2}), biases = parts(bias, {embed, embed * 2});
  const at::Tensor query = linear(q, part(weights, 0), part(biases, 0));
  const auto rest = taken_apart(linear(k, part(weights, 1), part(biases, 1)), 2, embed);
  return {query, rest[0], rest[1]};
}

// Python takes one matrix product where the three inputs are one tensor, two where key and value are, else three; their
// last bits differ. Inputs that the dump wrote apart keep a gradient each: values come by Python's road, gradients by
// three products.
Projected project_packed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Value& weight,
                         const Value& bias) {
  if (!one_tensor(k, v)) return project_apart(q, k, v, weight, bias);
  const bool self_attention = one_tensor(q, k);
  const bool gradients = at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || v.requires_grad());
  if (!gradients || (k.is_same(v) && q.is_same(k) == self_attention))
    return project_together(q, k, self_attention, weight, bias);
  const Projected apart = project_apart(q, k, v, weight, bias);
  const at::NoGradGuard values_only;
  const Projected together = project_together(q, k, self_attention, weight, bias);
  aten("copy_", {apart.q.detach(), together.q});
  aten("copy_", {apart.k.detach(), together.k});
  aten("copy_", {apart.v.detach(), together.v});
  return apart;
}

// A bool mask as numbers to add: -inf where it is set.
Value as_float_mask(const Value& mask, at::ScalarType dtype) {
  if (mask.is_none() || mask.get<at::Tensor>().is_floating_point()) return mask;
  const at::Tensor zeros = aten_t("zeros_like", {mask}, {{"dtype", dtype}});
  return aten("masked_fill_", {zeros, mask, -std::numeric_limits<double>::infinity()});
}

class Attention {
 public:
  explicit Attention(const Arguments& arguments) : c_(kName, kDeclaration, arguments) {
    query_ = c_.tensor("query");
    key_ = c_.tensor("key");
    value_ = c_.tensor("value");
    for (const char* mask : {"key_padding_mask", "attn_mask"}) {
      if (c_.has(mask)) c_.tensor(mask);
    }
    padding_ = c_["key_padding_mask"];
    mask_ = c_["attn_mask"];
    causal_ = c_.boolean("is_causal");
    need_weights_ = c_.boolean("need_weights");
  }

  Value run() {
    batched_ = query_.dim() == 3;
    if (!batched_) add_batch();
    target_ = query_.size(0);
    batch_ = query_.size(1);
    embed_ = query_.size(2);
    heads_ = c_.integer("num_heads");
    TORCH_CHECK(heads_ > 0 && embed_ % heads_ == 0, kName, ": embed_dim ", embed_, " not divisible by num_heads ",
                heads_);
    head_ = embed_ / heads_;
    prepare_masks();
    Projected p = project();
    if (!mask_.is_none() && mask_.get<at::Tensor>().dim() == 2) mask_ = aten("unsqueeze", {mask_, 0});
    add_bias(p);
    split_heads(p);
    if (c_.boolean("add_zero_attn")) add_zeros(p);
    source_ = p.k.size(1);
    merge_masks();
    return need_weights_ ? with_weights(p) : without_weights(p);
  }

 private:
  void add_batch() {
    query_ = aten_t("unsqueeze", {query_, 1});
    key_ = aten_t("unsqueeze", {key_, 1});
    value_ = aten_t("unsqueeze", {value_, 1});
    if (!padding_.is_none()) padding_ = aten("unsqueeze", {padding_, 0});
  }

  void prepare_masks() {
    const at::ScalarType dtype = query_.scalar_type();
    padding_ = as_float_mask(padding_, dtype);
    TORCH_CHECK(!causal_ || !mask_.is_none(), kName, ": is_causal needs attn_mask");
    if (causal_ && padding_.is_none() && !need_weights_) {
      mask_ = None{};  // the attention operator makes the causal mask by itself
      return;
    }
    mask_ = as_float_mask(mask_, dtype);
    if (!padding_.is_none()) causal_ = false;
  }

  Projected project() const {
    const Value& bias = c_["in_proj_bias"];
    if (!c_.boolean("use_separate_proj_weight"))
      return project_packed(query_, key_, value_, c_["in_proj_weight"], bias);
    const Value biases = bias.is_none() ? list_of(std::vector<Value>(3)) : aten("chunk", {bias, 3});
    return {linear(query_, c_["q_proj_weight"], part(biases, 0)), linear(key_, c_["k_proj_weight"], part(biases, 1)),
            linear(value_, c_["v_proj_weight"], part(biases, 2))};
  }

  // One more key and value take part: masks get a column that masks nothing.
  void widen_masks() {
    for (Value* mask : {&mask_, &padding_}) {
      if (!mask->is_none()) *mask = aten("pad", {*mask, list_of({0, 1})});
    }
  }

  void add_bias(Projected& p) {
    if (!c_.has("bias_k") || !c_.has("bias_v")) return;
    const auto extended = [&](const at::Tensor& x, const char* bias) {
      return aten_t("cat", {list_of({x, aten_t("repeat", {c_[bias], list_of({1, batch_, 1})})})});
    };
    p.k = extended(p.k, "bias_k");
    p.v = extended(p.v, "bias_v");
    widen_masks();
  }

  // [length, batch, embed] -> [batch * heads, length, head]
  at::Tensor by_head(const at::Tensor& x) const {
    return aten_t("transpose", {aten_t("view", {x, list_of({x.size(0), batch_ * heads_, head_})}), 0, 1});
  }

  void split_heads(Projected& p) const {
    p.q = by_head(p.q);
    p.k = c_.has("static_k") ? c_.tensor("static_k") : by_head(p.k);
    p.v = c_.has("static_v") ? c_.tensor("static_v") : by_head(p.v);
  }

  void add_zeros(Projected& p) {
    for (at::Tensor* x : {&p.k, &p.v}) {
      const Value zeros =
          aten("zeros", {list_of({batch_ * heads_, 1, head_})}, {{"dtype", x->scalar_type()}, {"device", x->device()}});
      *x = aten_t("cat", {list_of({*x, zeros}), 1});
    }
    widen_masks();
  }

  void merge_masks() {
    if (padding_.is_none()) return;
    const at::Tensor each = aten_t("view", {padding_, list_of({batch_, 1, 1, source_})});
    const at::Tensor by_heads = aten_t("expand", {each, list_of({-1, heads_, -1, -1})});
    const at::Tensor padding = aten_t("reshape", {by_heads, list_of({batch_ * heads_, 1, source_})});
    mask_ = mask_.is_none() ? Value(padding) : aten("add", {mask_, padding});
  }

  double dropout() const { return c_.boolean("training") ? c_.number("dropout_p") : 0.0; }

  // [target * batch, embed] -> [target, batch, out]
  at::Tensor output(const at::Tensor& x) const {
    const at::Tensor out = linear(x, c_["out_proj_weight"], c_["out_proj_bias"]);
    const at::Tensor shaped = aten_t("view", {out, list_of({target_, batch_, out.size(1)})});
    return batched_ ? shaped : aten_t("squeeze", {shaped, 1});
  }

  Value with_weights(const Projected& p) const {
    const at::Tensor q = aten_t("mul", {p.q, std::sqrt(1.0 / static_cast<double>(p.q.size(2)))});
    const at::Tensor keys = aten_t("transpose", {p.k, -2, -1});
    TORCH_CHECK(!causal_ || !mask_.is_none(), kName, ": is_causal needs attn_mask");
    at::Tensor weights = mask_.is_none() ? aten_t("bmm", {q, keys}) : aten_t("baddbmm", {mask_, q, keys});
    weights = aten_t("softmax", {weights, -1});
    if (dropout() > 0) weights = aten_t("dropout", {weights, dropout(), true});
    const at::Tensor mixed = aten_t("transpose", {aten_t("bmm", {weights, p.v}), 0, 1});
    const at::Tensor out = output(aten_t("reshape", {mixed, list_of({target_ * batch_, embed_})}));
    weights = aten_t("view", {weights, list_of({batch_, heads_, target_, source_})});
    if (c_.boolean("average_attn_weights")) weights = aten_t("mean", {weights, 1});
    if (!batched_) weights = aten_t("squeeze", {weights, 0});
    return list_of({out, weights});
  }

  Value without_weights(const Projected& p) {
    if (const auto* mask = mask_.get_if<at::Tensor>()) {
      mask_ = mask->dim() == 3 && mask->size(0) == 1 ? aten("unsqueeze", {mask_, 0})
                                                     : aten("view", {mask_, list_of({batch_, heads_, -1, source_})});
    }
    const auto unfolded = [&](const at::Tensor& x, int64_t length) {
      return aten_t("view", {x, list_of({batch_, heads_, length, head_})});
    };
    const at::Tensor mixed =
        aten_t("scaled_dot_product_attention",
               {unfolded(p.q, target_), unfolded(p.k, source_), unfolded(p.v, source_), mask_, dropout(), causal_});
    const at::Tensor rows = aten_t("permute", {mixed, list_of({2, 0, 1, 3})});
    return list_of({output(aten_t("reshape", {rows, list_of({batch_ * target_, embed_})})), None{}});
  }

  const PythonCall c_;
  at::Tensor query_, key_, value_;
  Value padding_, mask_;
  bool causal_ = false, need_weights_ = true, batched_ = true;
  int64_t target_ = 0, source_ = 0, batch_ = 0, embed_ = 0, heads_ = 0, head_ = 0;
};

MSPROBE_ADAPTOR("Functional.multi_head_attention_forward") {
  return Attention(arguments).run();
}

}  // namespace
}  // namespace msprobe::ops
