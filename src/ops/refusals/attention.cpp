// multi_head_attention_forward: shapes of queries, keys, values, masks and weights; linear_cross_entropy.
#include <array>

#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

std::string dims_text(const at::Tensor& t) {
  return std::to_string(t.dim()) + "-D";
}

/// Queries, keys and values with a batch dimension.
struct Batched {
  at::Tensor query, key, value;
  int64_t target() const { return query.size(0); }
  int64_t batch() const { return query.size(1); }
  int64_t source() const { return key.size(0); }
};

void check_mask_dims(const PythonCall& c, bool batched) {
  const std::string kind = batched ? "For batched (3-D) `query`, expected " : "For unbatched (2-D) `query`, expected ";
  if (c.has("key_padding_mask")) {
    const at::Tensor mask = c.tensor("key_padding_mask");
    if (mask.dim() != (batched ? 2 : 1))
      assertion_error(kind + "`key_padding_mask` to be `None` or " + (batched ? "2" : "1") + "-D but found " +
                      dims_text(mask) + " tensor instead");
  }
  if (!c.has("attn_mask")) return;
  const at::Tensor mask = c.tensor("attn_mask");
  if (mask.dim() != 2 && mask.dim() != 3)
    assertion_error(kind + "`attn_mask` to be `None`, 2-D or 3-D but found " + dims_text(mask) + " tensor instead");
  if (batched || mask.dim() == 2) return;
  const std::array<int64_t, 3> expected = {c.integer("num_heads"), c.tensor("query").size(0), c.tensor("key").size(0)};
  if (mask.sizes() != at::IntArrayRef(expected))
    assertion_error("Expected `attn_mask` shape to be " + tuple_text(expected) + " but got " + size_text(mask.sizes()));
}

Batched with_batch(const PythonCall& c) {
  Batched b{c.tensor("query"), c.tensor("key"), c.tensor("value")};
  const int64_t dim = b.query.dim();
  if (dim != 2 && dim != 3)
    assertion_error("query should be unbatched 2D or batched 3D tensor but received " + std::to_string(dim) +
                    "-D query tensor");
  if (b.key.dim() != dim || b.value.dim() != dim)
    assertion_error(std::string("For ") + (dim == 3 ? "batched (3-D)" : "unbatched (2-D)") +
                    " `query`, expected `key` and `value` to be " + std::to_string(dim) + "-D but found " +
                    dims_text(b.key) + " and " + dims_text(b.value) + " tensors respectively");
  check_mask_dims(c, dim == 3);
  if (dim == 2)
    for (at::Tensor* t : {&b.query, &b.key, &b.value}) *t = t->unsqueeze(1);
  return b;
}

void check_mask_dtype(const PythonCall& c, const char* name) {
  if (!c.has(name)) return;
  const at::ScalarType dtype = c.tensor(name).scalar_type();
  if (dtype != at::kBool && !at::isFloatingType(dtype))
    assertion_error(std::string("only bool and floating types of ") + name + " are supported");
}

void check_heads(const PythonCall& c, const Batched& b) {
  const int64_t embed = b.query.size(2), wanted = c.integer("embed_dim_to_check"), heads = c.integer("num_heads");
  if (embed != wanted)
    assertion_error("was expecting embedding dimension of " + std::to_string(wanted) + ", but got " +
                    std::to_string(embed));
  if (heads > 0 && embed % heads != 0)
    assertion_error("embed_dim " + std::to_string(embed) + " not divisible by num_heads " + std::to_string(heads));
  if (c.boolean("use_separate_proj_weight")) {
    const auto key = b.key.sizes().slice(0, 2), value = b.value.sizes().slice(0, 2);
    if (key != value)
      assertion_error("key's sequence and batch dims " + size_text(key) + " do not match value's " + size_text(value));
  } else if (b.key.sizes() != b.value.sizes()) {
    assertion_error("key shape " + size_text(b.key.sizes()) + " does not match value shape " +
                    size_text(b.value.sizes()));
  }
}

void check_projection(const PythonCall& c, const char* parameter, const char* word, int64_t rows, int64_t columns) {
  const auto shape = c.tensor(parameter).sizes();
  const std::array<int64_t, 2> expected = {rows, columns};
  if (shape != at::IntArrayRef(expected))
    assertion_error(std::string("expecting ") + word + " weights shape of " + tuple_text(expected) + ", but got " +
                    size_text(shape));
}

void check_projections(const PythonCall& c, const Batched& b) {
  if (!c.boolean("use_separate_proj_weight")) {
    if (!c.has("in_proj_weight")) assertion_error("use_separate_proj_weight is False but in_proj_weight is None");
    return;
  }
  for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"})
    if (!c.has(name)) assertion_error(std::string("use_separate_proj_weight is True but ") + name + " is None");
  const int64_t embed = b.query.size(2);
  check_projection(c, "q_proj_weight", "query", embed, embed);
  check_projection(c, "k_proj_weight", "key", embed, b.key.size(2));
  check_projection(c, "v_proj_weight", "value", embed, b.value.size(2));
}

void check_mask_shape(const PythonCall& c, const Batched& b) {
  if (!c.has("attn_mask")) return;
  const at::Tensor mask = c.tensor("attn_mask");
  std::vector<int64_t> correct = {b.target(), b.source()};
  if (mask.dim() == 3) correct.insert(correct.begin(), b.batch() * c.integer("num_heads"));
  if (mask.sizes() != at::IntArrayRef(correct))
    runtime_error("The shape of the " + std::to_string(mask.dim()) + "D attn_mask is " + size_text(mask.sizes()) +
                  ", but should be " + tuple_text(correct) + ".");
}

void check_static(const PythonCall& c, const Batched& b) {
  const int64_t rows = b.batch() * c.integer("num_heads"), head = b.query.size(2) / c.integer("num_heads");
  const bool both = c.has("bias_k") && c.has("bias_v");
  if (both && c.has("static_k")) assertion_error("bias cannot be added to static key.");
  if (both && c.has("static_v")) assertion_error("bias cannot be added to static value.");
  if (!both && c.has("bias_k")) assertion_error("bias_k is set but bias_v is None");
  if (!both && c.has("bias_v")) assertion_error("bias_v is set but bias_k is None");
  for (const char* name : {"static_k", "static_v"}) {
    if (!c.has(name)) continue;
    const at::Tensor t = c.tensor(name);
    const std::string expecting = std::string("expecting ") + name + ".size(";
    if (t.size(0) != rows)
      assertion_error(expecting + "0) of " + std::to_string(rows) + ", but got " + std::to_string(t.size(0)));
    if (t.size(2) != head)
      assertion_error(expecting + "2) of " + std::to_string(head) + ", but got " + std::to_string(t.size(2)));
  }
}

// Columns for bias_k and for add_zero_attn are added to mask and keys alike before Python compares them.
void check_padding_mask(const PythonCall& c, const Batched& b) {
  if (!c.has("key_padding_mask")) return;
  at::Tensor mask = c.tensor("key_padding_mask");
  if (mask.dim() == 1) mask = mask.unsqueeze(0);
  const int64_t biased = c.has("bias_k") ? 1 : 0, zero = c.boolean("add_zero_attn") ? 1 : 0;
  const int64_t source = (c.has("static_k") ? c.tensor("static_k").size(1) : b.source() + biased) + zero;
  const auto expected = [](int axis, int64_t wanted, int64_t got) {
    assertion_error("Expected key_padded_mask.shape[" + std::to_string(axis) + "] to be " + std::to_string(wanted) +
                    ", but got " + std::to_string(got));
  };
  if (mask.size(0) != b.batch()) expected(0, b.batch(), mask.size(0));
  if (mask.size(1) + biased + zero != source) expected(1, source, mask.size(1) + biased + zero);
}

const RefusalRegistration attention(
    {"multi_head_attention_forward"},
    "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, "
    "dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, "
    "attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, "
    "static_k=None, static_v=None, average_attn_weights=True, is_causal=False",
    [](const PythonCall& c) {
      const Batched b = with_batch(c);
      check_mask_dtype(c, "key_padding_mask");
      const bool causal = c.boolean("is_causal");
      if (causal && !c.has("attn_mask"))
        runtime_error(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask.");
      const bool mask_unused = causal && !c.has("key_padding_mask") && !c.boolean("need_weights");
      if (!mask_unused) check_mask_dtype(c, "attn_mask");
      check_heads(c, b);
      check_projections(c, b);
      if (!mask_unused) check_mask_shape(c, b);
      check_static(c, b);
      check_padding_mask(c, b);
    });

const RefusalRegistration linear_cross_entropy(
    {"linear_cross_entropy"},
    "input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, "
    "label_smoothing=0.0, options=None",
    [](const PythonCall& c) {
      const at::Tensor input = c.tensor("input"), matrix = c.tensor("linear_weight");
      if (input.dim() < 1 || input.dim() > 2)
        runtime_error("expected input with dimensionality 1 or 2, got " + std::to_string(input.dim()));
      if (matrix.dim() < 2)
        runtime_error("expected linear_weight with dimensionality at least 2, got " + std::to_string(matrix.dim()));
      if (input.size(-1) != matrix.size(-1))
        runtime_error("expected equal input and linear_weight last dimensions (in_features), got " +
                      std::to_string(input.size(-1)) + " and " + std::to_string(matrix.size(-1)) + ", respectively");
      const auto classes = matrix.sizes().slice(0, matrix.dim() - 1);
      if (c.has("linear_bias") && c.tensor("linear_bias").sizes() != classes)
        runtime_error("expected linear_bias shape " + tuple_text(classes) + ", got " +
                      tuple_text(c.tensor("linear_bias").sizes()));
    });

}  // namespace
}  // namespace msprobe::ops
