#include "goldens/user/written_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "inputs/places.h"
#include "ops/python_declaration.h"
#include "signatures/find_argument.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;

// Where `parameter` may stand by position; -1: by keyword alone, or nobody knows.
int position_of(const std::string& parameters, const std::string& parameter) {
  if (parameters.empty()) return -1;
  const auto& declared = ops::find_declaration(parameters).parameters;
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i].name == parameter && !declared[i].keyword_only) return static_cast<int>(i);
  return -1;
}

const Value* argument_of(const RowsCall& call, const std::string& parameter, int position = -1) {
  const inputs::Arguments& given = call.arguments;
  if (const Value* v = given.kwarg(parameter)) return v;
  if (position < 0) position = position_of(call.parameters, parameter);
  const auto place = static_cast<size_t>(position);
  if (position >= 0) return place < given.args.size() ? &given.args[place] : nullptr;
  const signatures::Found found =
      signatures::find_argument(config::installed_api_facts(), call.api, inputs::shape_of(given), parameter);
  return found.place ? &inputs::at(given, *found.place) : nullptr;
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

std::optional<WrittenRows> written_rows(const ValidRows& rule, const RowsCall& call, std::string* note) {
  const auto tell = [&](const std::string& text) {
    if (rule.users && note != nullptr) *note = "output_valid_rows: " + text;
  };
  const Value* value = argument_of(call, rule.argument, rule.position);
  if (value == nullptr) tell("the call has no argument " + rule.argument + ", all rows are judged");
  if (value == nullptr || value->is_none()) return std::nullopt;
  for (const auto& [parameter, values] : rule.unless) {
    const auto given = as_integer(argument_of(call, parameter));
    if (given && std::find(values.begin(), values.end(), *given) != values.end()) return std::nullopt;
  }
  int64_t type = rule.count == ValidRows::Count::kEnds ? kEndsType : kCountsType;
  if (rule.count == ValidRows::Count::kByArgument) {
    const Value* says = argument_of(call, rule.list_type);
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
