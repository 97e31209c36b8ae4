// APIs that their arguments make random, and arguments that no dump records in full.
#include <algorithm>

#include "ops/call.h"
#include "ops/convert.h"
#include "ops/listed_names.h"
#include "ops/python_declaration.h"
#include "ops/skip.h"

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

// One parameter of a call.
struct Asked {
  bool known = false;            ///< the API has a parameter of that name
  const Value* value = nullptr;  ///< nullptr: left out
};

Asked ask_declaration(const Declaration& declaration, const Arguments& arguments, std::string_view parameter) {
  for (size_t i = 0; i < declaration.parameters.size(); ++i) {
    if (declaration.parameters[i].name != parameter) continue;
    const bool given = i < declaration.positional && i < arguments.args.size();
    return {true, given ? &arguments.args[i] : nullptr};
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
    return {true, given ? &arguments.args[i] : nullptr};
  }
  return {};
}

Asked ask(const dump::ApiName& name, const Arguments& arguments, std::string_view parameter) {
  if (const Value* value = arguments.kwarg(parameter)) return {true, value};
  const PythonName python = python_name(name);
  const std::string key = python.type + "." + python.name;
  for (const auto& known : kDeclarations) {
    if (known.function == key) return ask_declaration(find_declaration(known.declaration), arguments, parameter);
  }
  return ask_schema(name, arguments, parameter);
}

std::optional<double> number(const Value* value) {
  if (!value) return std::nullopt;
  if (const auto* b = value->get_if<bool>()) return *b;
  if (const auto* i = value->get_if<int64_t>()) return static_cast<double>(*i);
  if (const auto* d = value->get_if<double>()) return *d;
  return std::nullopt;
}

// The call says that it is not training, in which case nothing is dropped.
bool evaluating(const dump::ApiName& name, const Arguments& arguments, std::string_view except) {
  for (const std::string_view flag : {"training", "train"}) {
    if (flag == except) continue;
    const auto value = number(ask(name, arguments, flag).value);
    if (value && *value == 0) return true;
  }
  return false;
}

std::string random_because(const std::string& parameter, const Value& value) {
  std::string text = describe_value(value);
  return "its output is random with " + parameter + "=" + text.substr(text.find(' ') + 1);
}

std::optional<std::string> random_by_arguments(const dump::ApiName& name, const Arguments& arguments,
                                               const config::Standards& standards) {
  const auto names = listed_names_of_both_forms(name);
  if (const auto rule = find_listed(standards.random_by_argument, names); rule != standards.random_by_argument.end()) {
    const Value* value = ask(name, arguments, rule->second).value;
    const auto given = number(value);
    if (given && *given > 0 && !evaluating(name, arguments, rule->second)) return random_because(rule->second, *value);
  }
  if (const auto rule = find_listed(standards.random_below_one, names); rule != standards.random_below_one.end()) {
    const Value* value = ask(name, arguments, rule->second).value;
    const auto given = number(value);
    if (given && *given < 1) return random_because(rule->second, *value);
  }
  const auto& without = standards.random_without_argument;
  if (const auto rule = find_listed(without, names); rule != without.end()) {
    const Asked asked = ask(name, arguments, rule->second);
    if (asked.known && (!asked.value || asked.value->is_none())) {
      return "its output is random without " + rule->second;
    }
  }
  return std::nullopt;
}

bool is_sparse(const Value& value) {
  if (const auto* layout = value.get_if<at::Layout>()) return *layout != at::kStrided;
  const auto* t = value.get_if<at::Tensor>();
  return t && t->defined() && t->layout() != at::kStrided;
}

}  // namespace

std::optional<std::string> skip_by_arguments(const dump::ApiName& name, const Arguments& arguments,
                                             const config::Standards& standards) {
  const std::string sparse = " has a sparse layout, whose indices are not recorded";
  for (size_t i = 0; i < arguments.args.size(); ++i) {
    if (is_sparse(arguments.args[i])) return "input " + std::to_string(i) + sparse;
  }
  for (const auto& [keyword, value] : arguments.kwargs) {
    if (is_sparse(value)) return keyword + sparse;
  }
  return random_by_arguments(name, arguments, standards);
}

}  // namespace msprobe::ops
