#include "ops/skip.h"

#include <algorithm>

#include "ops/python_declaration.h"
#include "ops/python_names.h"
#include "ops/signature.h"

namespace msprobe::ops {
namespace {

using inputs::Arguments;
using inputs::Value;

// An operator's name without its overload: Aten.add.Tensor is "add", Torch.linalg.norm stays as it is.
std::string_view without_overload(const PythonName& python) {
  const std::string_view name = python.name;
  return python.type == "Aten" ? name.substr(0, name.find('.')) : name;
}

// The names under which lists may speak of an API, the most exact first.
std::vector<std::string> listed_names(const dump::ApiName& name) {
  const PythonName python = python_name(name);
  const std::string plain(without_overload(python));
  std::vector<std::string> names = {name.type + "." + name.name, python.type + "." + plain, name.name, plain};
  if (python.type != "Aten") names.push_back(plain.substr(plain.rfind('.') + 1));
  return names;
}

template <class List>
auto find_listed(const List& list, const std::vector<std::string>& names) {
  auto found = list.end();
  for (const auto& name : names) {
    if ((found = list.find(name)) != list.end()) break;
  }
  return found;
}

// Lists name bernoulli; bernoulli_ is as random.
std::vector<std::string> with_functional_names(std::vector<std::string> names) {
  for (size_t i = 0, n = names.size(); i < n; ++i) {
    if (names[i].ends_with('_') && !names[i].ends_with("__")) names.push_back(names[i].substr(0, names[i].size() - 1));
  }
  return names;
}

bool listed(const std::vector<std::string>& list, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return std::find(list.begin(), list.end(), name) != list.end(); });
}

constexpr std::string_view kTypesNotRun[] = {"Distributed", "MindSpeed"};

// Python functions whose parameters no schema shows in this order, where randomness hangs on one of them.
constexpr struct {
  std::string_view function;
  std::string_view declaration;
} kDeclarations[] = {
    {"Functional.alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"Functional.feature_alpha_dropout", "input, p=0.5, training=False, inplace=False"},
    {"Functional.rrelu", "input, lower=0.125, upper=0.3333, training=False, inplace=False"},
    {"Functional.multi_head_attention_forward",
     "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, "
     "dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, "
     "attn_mask=None"},
};

// The place of a parameter among those given by position; nullopt: unknown.
std::optional<size_t> place_of(const PythonName& python, std::string_view parameter) {
  const std::string key = python.type + "." + python.name;
  for (const auto& known : kDeclarations) {
    if (known.function != key) continue;
    const auto& parameters = find_declaration(known.declaration).parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == parameter) return i;
    }
    return std::nullopt;
  }
  std::string flat(without_overload(python));
  std::replace(flat.begin(), flat.end(), '.', '_');
  const Operator* op = find_operator(flat);
  if (!op) return std::nullopt;
  for (const auto& signature : op->functions) {
    for (size_t i = 0; i < signature.max_positional; ++i) {
      if (signature.base->parameters[signature.order[i]].name == parameter) return i;
    }
  }
  return std::nullopt;
}

// What a call gives for `parameter`, by keyword or position; nullptr: left out.
const Value* argument_of(const PythonName& python, const Arguments& arguments, std::string_view parameter) {
  if (const Value* value = arguments.kwarg(parameter)) return value;
  const auto place = place_of(python, parameter);
  return place && *place < arguments.args.size() ? &arguments.args[*place] : nullptr;
}

bool is_on(const Value& value) {
  if (const auto* b = value.get_if<bool>()) return *b;
  if (const auto* i = value.get_if<int64_t>()) return *i > 0;
  if (const auto* d = value.get_if<double>()) return *d > 0;
  return false;
}

bool is_off(const Value* value) {
  return value && value->is<bool>() && !value->get<bool>();
}

std::string number_text(const Value& value) {
  if (value.is<bool>()) return value.get<bool>() ? "True" : "False";
  if (const auto* i = value.get_if<int64_t>()) return std::to_string(*i);
  std::string text = std::to_string(value.get<double>());
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

std::optional<std::string> sparse_layout(const Value& value, const std::string& where) {
  const auto reason = [&] { return where + " has a sparse layout: its indices are not recorded"; };
  if (const auto* layout = value.get_if<at::Layout>(); layout && *layout != at::kStrided) return reason();
  if (const auto* t = value.get_if<at::Tensor>(); t && t->defined() && t->layout() != at::kStrided) return reason();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> skip_by_name(const dump::ApiName& name, const config::Settings& settings,
                                        const config::Standards& standards) {
  if (!name.well_formed()) return "its name is not of the form Type.name.number with three or four parts";
  for (const auto type : kTypesNotRun) {
    if (name.type == type) return name.type + " APIs take part in more than one process and are not replayed";
  }
  const auto names = listed_names(name);
  if (listed(settings.black_list, names)) return "on the black list";
  if (!settings.white_list.empty() && !listed(settings.white_list, names)) return "not on the white list";
  if (find_listed(standards.skip_apis, names) != standards.skip_apis.end()) {
    return name.name + " moves, converts or allocates only: there is nothing to compare";
  }
  if (const auto found = find_listed(standards.unsupported, names); found != standards.unsupported.end()) {
    return found->second;
  }
  if (find_listed(standards.removed_apis, names) != standards.removed_apis.end()) {
    return name.type + "." + name.name + " was removed from PyTorch";
  }
  const bool random = find_listed(standards.random_apis, with_functional_names(names)) != standards.random_apis.end();
  if (random && !is_dropout(name)) return "its output is random or uninitialised by nature";
  return std::nullopt;
}

std::optional<std::string> skip_by_arguments(const dump::ApiName& name, const Arguments& arguments,
                                             const config::Standards& standards) {
  for (size_t i = 0; i < arguments.args.size(); ++i) {
    if (auto reason = sparse_layout(arguments.args[i], "input " + std::to_string(i))) return reason;
  }
  for (const auto& [keyword, value] : arguments.kwargs) {
    if (auto reason = sparse_layout(value, keyword)) return reason;
  }
  const auto found = find_listed(standards.random_by_argument, with_functional_names(listed_names(name)));
  if (found == standards.random_by_argument.end()) return std::nullopt;
  const PythonName python = python_name(name);
  const std::string& parameter = found->second;
  const Value* value = argument_of(python, arguments, parameter);
  if (!value || !is_on(*value)) return std::nullopt;
  for (const std::string_view training : {"training", "train"}) {
    if (training != parameter && is_off(argument_of(python, arguments, training))) return std::nullopt;
  }
  return "its output is random with " + parameter + "=" + number_text(*value);
}

bool is_dropout(const dump::ApiName& name) {
  return name.name.find("dropout") != std::string::npos;
}

bool is_inplace(const dump::ApiName& name, const Arguments& arguments) {
  const PythonName python = python_name(name);
  const std::string_view plain = without_overload(python);
  if (plain == "__setitem__") return true;
  // __iadd__ and its like, which are operators of that very name too (aten::__iand__); __index__ and __invert__ are
  // not.
  if (plain.starts_with("__") && plain.ends_with("__")) {
    const Dunder* dunder = find_dunder(plain);
    return dunder && dunder->name.starts_with('i') && dunder->aten.ends_with('_');
  }
  if (plain.size() > 1 && plain.ends_with('_') && !plain.ends_with("__")) return true;
  return python.type == "Functional" && functional_inplace(plain, arguments).value_or(false);
}

}  // namespace msprobe::ops
