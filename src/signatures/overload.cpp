#include "signatures/overload.h"

#include <algorithm>
#include <string>

#include "signatures/aliases.h"
#include "signatures/python_names.h"

namespace msprobe::signatures {
namespace {

bool is_list(Kind kind) {
  return kind == Kind::kIntList || kind == Kind::kFloatList || kind == Kind::kBoolList || kind == Kind::kScalarList;
}

/// Whether an argument of this form may be given for the parameter. A 0-dim tensor that stands for a number is not
/// seen: its call then fits no overload, or another one that takes tensors.
bool fits(const Parameter& p, Form form, bool numbers) {
  const bool tensors = p.kind == Kind::kTensorList || p.kind == Kind::kOptionalTensorList;
  switch (form) {
    case Form::kNone:
      return p.optional || p.has_default || p.kind == Kind::kTensor;
    case Form::kTensor:
      return p.kind == Kind::kTensor;
    case Form::kTensors:
      return tensors;
    case Form::kList:
      return is_list(p.kind) || p.kind == Kind::kOptionalTensorList;
    case Form::kEmptyList:
      return is_list(p.kind) || tensors;
    case Form::kInteger:
      return p.kind == Kind::kInt || p.kind == Kind::kFloat || p.kind == Kind::kScalar ||
             (p.kind == Kind::kIntList && p.size > 0) || (numbers && p.kind == Kind::kTensor);
    case Form::kFloating:
      return p.kind == Kind::kFloat || p.kind == Kind::kScalar || (numbers && p.kind == Kind::kTensor);
    case Form::kBool:
      return p.kind == Kind::kBool || p.kind == Kind::kScalar || (numbers && p.kind == Kind::kTensor);
    case Form::kText:
      return p.kind == Kind::kString;
    case Form::kOther:
      return true;
  }
  return false;
}

Overload of_signature(const Operator& op, const Signature& signature) {
  Overload overload{&op, {}, signature.max_positional};
  if (signature.self >= 0) {
    overload.parameters.push_back(&signature.base->parameters[static_cast<size_t>(signature.self)]);
    ++overload.positional;
  }
  for (const int i : signature.order)
    overload.parameters.push_back(&signature.base->parameters[static_cast<size_t>(i)]);
  return overload;
}

Overload of_schema(const Operator& op, const Schema& schema) {
  Overload overload{&op, {}, 0};
  for (const bool keyword_only : {false, true}) {
    for (const Parameter& p : schema.parameters)
      if (p.keyword_only == keyword_only) overload.parameters.push_back(&p);
    if (!keyword_only) overload.positional = overload.parameters.size();
  }
  return overload;
}

void add_functions(const std::string& name, std::vector<Overload>& all) {
  const Operator* const op = find_operator(name);
  if (op == nullptr) return;
  for (const Signature& signature : op->functions) all.push_back(of_signature(*op, signature));
}

void add_methods(const std::string& name, std::vector<Overload>& all) {
  const Operator* const op = find_operator(name);
  if (op == nullptr) return;
  for (const Signature& signature : op->methods) all.push_back(of_signature(*op, signature));
}

/// `packet`: "add", or "add.Tensor" for one overload.
void add_packet(std::string_view packet, std::vector<Overload>& all) {
  const size_t dot = packet.find('.');
  const Operator* const op = find_operator(packet.substr(0, dot));
  if (op == nullptr) return;
  std::string_view overload = dot == std::string_view::npos ? "" : packet.substr(dot + 1);
  const bool any = overload.empty();
  if (overload == "default") overload = "";
  for (const auto& schema : op->schemas)
    if (any || schema->overload == overload) all.push_back(of_schema(*op, *schema));
}

}  // namespace

std::optional<size_t> Overload::find(std::string_view name) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i]->name == name) return i;
  return std::nullopt;
}

bool Overload::takes(const CallShape& call) const {
  if (call.args.size() > positional) return false;
  std::vector<bool> given(parameters.size(), false);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (!fits(*parameters[i], call.args[i], op->takes_numbers)) return false;
    given[i] = true;
  }
  for (const auto& [name, form] : call.kwargs) {
    if (name == "out") continue;
    const auto named = [&, &keyword = name](const Parameter* p) { return is_alias(p->name, keyword); };
    const auto at = std::find_if(parameters.begin(), parameters.end(), named);
    if (at == parameters.end() || !fits(**at, form, op->takes_numbers)) return false;
    given[static_cast<size_t>(at - parameters.begin())] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!given[i] && !parameters[i]->has_default && !parameters[i]->is_tensor_option() && !parameters[i]->is_out)
      return false;
  return true;
}

std::vector<Overload> overloads(const dump::ApiName& api) {
  const config::PythonName python = python_name(api);
  std::string flat = python.name;
  std::replace(flat.begin(), flat.end(), '.', '_');
  std::vector<Overload> all;
  if (python.type == "Aten") {
    const std::string_view name = python.name;
    add_packet(name.starts_with("aten.") ? name.substr(5) : name, all);
  } else if (python.type == "Tensor") {
    const Dunder* const dunder = find_dunder(python.name);
    add_methods(dunder != nullptr ? std::string(dunder->aten) : flat, all);
  } else if (python.type == "Torch") {
    // Dumps lose the namespace: Torch.norm may have been torch.linalg.norm.
    for (const char* prefix : {"", "linalg_", "special_", "fft_"}) add_functions(prefix + flat, all);
  } else if (python.type == "NPU") {
    add_packet("npu::" + python.name, all);
    if (all.empty()) add_packet(python.name, all);
  } else {
    add_functions(flat, all);
  }
  return all;
}

}  // namespace msprobe::signatures
