#include "goldens/user/user.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <set>

#include "goldens/registry.h"
#include "goldens/user/golden_library.h"
#include "goldens/user/python_golden.h"
#include "goldens/user/python_process.h"
#include "goldens/user/torchscript.h"
#include "ops/python_declaration.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;

std::map<std::string, ValidRows>& rules() {
  static std::map<std::string, ValidRows> all;
  return all;
}

std::set<std::string>& named_by_user() {
  static std::set<std::string> all;
  return all;
}

// APIs whose goldens are plain Python.
std::set<std::string>& python_apis() {
  static std::set<std::string> all;
  return all;
}

void give_golden(const UserOperator& user, Operator& op) {
  switch (user.language) {
    case Language::kPython:
      op.direct = python_golden(user);
      return;
    case Language::kLibrary:
      op.direct = library_golden(user);
      return;
    case Language::kTorchScript:
    case Language::kModule:
      break;
  }
  TorchScriptGolden golden = torchscript_golden(user);
  op.direct = std::move(golden.call);
  op.remark = std::move(golden.remark);
}

const Value* argument_of(const dump::ApiName& name, const inputs::Arguments& arguments, const std::string& parameter,
                         int position) {
  if (const Value* v = arguments.kwarg(parameter)) return v;
  if (position < 0) {
    // The schema of a golden that is known tells the place as well.
    const Operator* op = name.type == "NPU" ? find(name.name) : nullptr;
    if (op == nullptr || op->schema.empty()) return nullptr;
    const auto& declared = ops::find_declaration(python_parameters(op->schema)).parameters;
    for (size_t i = 0; i < declared.size(); ++i)
      if (declared[i].name == parameter && !declared[i].keyword_only) position = static_cast<int>(i);
  }
  return position >= 0 && static_cast<size_t>(position) < arguments.args.size()
             ? &arguments.args[static_cast<size_t>(position)]
             : nullptr;
}

std::optional<int64_t> as_integer(const Value* v) {
  if (v == nullptr) return std::nullopt;
  if (const auto* i = v->get_if<int64_t>()) return *i;
  if (const auto* b = v->get_if<bool>()) return *b ? 1 : 0;
  return std::nullopt;
}

// A tensor of integers, or a list of them; nullopt for anything else.
std::optional<at::Tensor> as_integers(const Value& v) {
  if (const auto* t = v.get_if<at::Tensor>()) {
    if (!t->defined() || t->is_meta() || !at::isIntegralType(t->scalar_type(), /*includeBool=*/false))
      return std::nullopt;
    return t->detach().to(at::kCPU, at::kLong);
  }
  const auto* list = v.get_if<inputs::List>();
  if (list == nullptr) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Value& item : list->items) {
    const auto n = as_integer(&item);
    if (!n) return std::nullopt;
    numbers.push_back(*n);
  }
  return at::tensor(numbers, at::kLong);
}

constexpr int64_t kEndsType = 0, kCountsType = 1, kPairsType = 2;  // what an operator's group_list_type says

std::optional<int64_t> rows_of(const at::Tensor& numbers, int64_t type) {
  if (numbers.numel() == 0) return 0;
  if (type == kEndsType && numbers.dim() == 1) return numbers[-1].item<int64_t>();
  if (type == kCountsType && numbers.dim() == 1) return numbers.sum().item<int64_t>();
  if (type == kPairsType && numbers.dim() == 2 && numbers.size(1) == 2)
    return numbers.select(1, 1).sum().item<int64_t>();
  return std::nullopt;
}

}  // namespace

void use(const Configuration& configuration, bool users) {
  for (const UserOperator& user : configuration.operators) {
    Operator op;
    op.name = user.name;
    op.schema = user.schema;
    op.source = user.source();
    give_golden(user, op);
    if (user.language == Language::kPython)
      python_apis().insert(user.name);
    else
      python_apis().erase(user.name);
    install(std::move(op));
    if (users) named_by_user().insert(user.name);
  }
  for (const std::string& api : configuration.judged_whole) rules().erase(api);
  for (const auto& [api, rule] : configuration.valid_rows) {
    rules()[api] = rule;
    rules()[api].users = users;
    if (users) named_by_user().insert(api);
  }
}

const std::set<std::string>& users_apis() {
  return named_by_user();
}

void use_users_operators(const config::Settings& settings) {
  use(read_configuration(config::installed_config("fused_operators.yaml")), /*users=*/false);
  if (!settings.fused_operators.empty()) use(read_configuration(settings.fused_operators));
}

void start_python_for(const std::vector<std::string_view>& apis) {
  if (python_apis().empty()) return;
  if (std::any_of(apis.begin(), apis.end(), [](std::string_view api) {
        return python_apis().count(golden_name(dump::parse_api_name(api))) != 0;
      }))
    PythonProcess::instance().start_ahead();
}

std::optional<WrittenRows> written_rows(const dump::ApiName& name, const inputs::Arguments& arguments,
                                        std::string* note) {
  const auto found = rules().find(golden_name(name));
  if (found == rules().end()) return std::nullopt;
  const ValidRows& rule = found->second;
  const auto tell = [&](const std::string& text) {
    if (rule.users && note != nullptr) *note = "output_valid_rows: " + text;
  };
  const Value* value = argument_of(name, arguments, rule.argument, rule.position);
  if (value == nullptr) tell("the call has no argument " + rule.argument + ", all rows are judged");
  if (value == nullptr || value->is_none()) return std::nullopt;
  for (const auto& [parameter, values] : rule.unless) {
    const auto given = as_integer(argument_of(name, arguments, parameter, -1));
    if (given && std::find(values.begin(), values.end(), *given) != values.end()) return std::nullopt;
  }
  int64_t type = rule.count == ValidRows::Count::kEnds ? kEndsType : kCountsType;
  if (rule.count == ValidRows::Count::kByArgument) {
    const Value* says = argument_of(name, arguments, rule.list_type, -1);
    if (says == nullptr) tell("the call has no argument " + rule.list_type + ", taken as 0: running ends");
    type = as_integer(says).value_or(kEndsType);
  }
  const auto numbers = as_integers(*value);
  if (!numbers) return std::nullopt;
  const auto rows = rows_of(*numbers, type);
  if (!rows || *rows < 0) return std::nullopt;
  return WrittenRows{*rows, rule.argument};
}

}  // namespace msprobe::goldens
