#include "ops/asked.h"

#include "ops/call.h"
#include "ops/python_declaration.h"
#include "ops/python_names.h"

namespace msprobe::ops {
namespace {

// Functions whose parameters no schema of this LibTorch shows: torch.nn.functional's own, and torch_npu's.
constexpr struct {
  std::string_view function;
  std::string_view declaration;
} kDeclarations[] = {
    {"Functional.alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"Functional.feature_alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"Functional.rrelu", "input, lower=0.125, upper=0.3333, training=False, inplace=False"},
    {"Functional.multi_head_attention_forward",
     "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, "
     "dropout_p, out_proj_weight, out_proj_bias, training=True"},
    {"Functional.fractional_max_pool2d",
     "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"},
    {"Functional.fractional_max_pool2d_with_indices",
     "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"},
    {"Functional.fractional_max_pool3d",
     "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"},
    {"Functional.fractional_max_pool3d_with_indices",
     "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"},
    {"NPU.npu_fusion_attention",
     "query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, scale=1., keep_prob=1."},
    {"NPU.npu_fusion_attention_v2", "query, key, value, head_num, input_layout, *, keep_prob=1."},
    {"NPU.npu_fusion_attention_v3",
     "query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, scale=1., keep_prob=1."},
    {"NPU.npu_fused_attention_score", "query_layer, key_layer, value_layer, attention_mask, scale, keep_prob"},
    {"NPU.npu_fused_attention_score_fwd", "query_layer, key_layer, value_layer, attention_mask, scale, keep_prob"},
    {"NPU.npu_lstm", "input, weight, bias, seq_mask, h, c, has_biases, num_layers, dropout, train"},
    {"NPU.npu_gru",
     "input, hx, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, has_biases, num_layers, dropout, "
     "train"},
};

Asked ask_declaration(const Declaration& declaration, const Arguments& arguments, std::string_view parameter) {
  for (size_t i = 0; i < declaration.parameters.size(); ++i) {
    if (declaration.parameters[i].name != parameter) continue;
    const bool given = i < declaration.positional && i < arguments.args.size();
    return {true, given ? &arguments.args[i] : nullptr, given ? std::optional(i) : std::nullopt};
  }
  return {};
}

Asked ask_schema(const dump::ApiName& name, const Arguments& arguments, std::string_view parameter) {
  const Schema* schema = general_schema(name, arguments);
  if (!schema) return {};
  for (size_t i = 0; i < schema->parameters.size(); ++i) {
    const Parameter& p = schema->parameters[i];
    if (p.name != parameter) continue;
    const bool given = !p.keyword_only && i < arguments.args.size();
    return {true, given ? &arguments.args[i] : nullptr, given ? std::optional(i) : std::nullopt};
  }
  return {};
}

}  // namespace

Asked ask(const dump::ApiName& name, const Arguments& arguments, std::string_view parameter) {
  if (const Value* value = arguments.kwarg(parameter)) return {true, value, std::nullopt};
  const PythonName python = python_name(name);
  const std::string key = python.type + "." + python.name;
  for (const auto& known : kDeclarations) {
    if (known.function == key) return ask_declaration(find_declaration(known.declaration), arguments, parameter);
  }
  return ask_schema(name, arguments, parameter);
}

}  // namespace msprobe::ops
