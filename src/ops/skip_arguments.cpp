// APIs that their arguments make random, and arguments that no dump records in full.
#include <algorithm>

#include "ops/asked.h"
#include "ops/convert.h"
#include "ops/listed_names.h"
#include "ops/registry.h"
#include "ops/skip.h"

namespace msprobe::ops {
namespace {

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
