// APIs that their arguments make random, and arguments that no dump records in full.
#include <algorithm>

#include "config/api_facts.h"
#include "ops/asked.h"
#include "ops/convert.h"
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
  const config::ApiNames names = config::ApiNames(name).with_plain_forms();
  if (const std::string* parameter = standards.random_by_argument.find(names)) {
    const Value* value = ask(name, arguments, *parameter).value;
    const auto given = number(value);
    if (given && *given > 0 && !evaluating(name, arguments, *parameter)) return random_because(*parameter, *value);
  }
  if (const std::string* parameter = standards.random_below_one.find(names)) {
    const Value* value = ask(name, arguments, *parameter).value;
    const auto given = number(value);
    if (given && *given < 1) return random_because(*parameter, *value);
  }
  if (const std::string* parameter = standards.random_without_argument.find(names)) {
    const Asked asked = ask(name, arguments, *parameter);
    if (asked.known && (!asked.value || asked.value->is_none())) return "its output is random without " + *parameter;
  }
  return std::nullopt;
}

bool is_sparse(const Value& value) {
  if (const auto* layout = value.get_if<at::Layout>()) return *layout != at::kStrided;
  const auto* t = value.get_if<at::Tensor>();
  return t && t->defined() && t->layout() != at::kStrided;
}

}  // namespace

bool draws_nothing(const dump::ApiName& name, const Arguments& arguments) {
  const auto* const known =
      config::installed_api_facts().find(config::ApiNames(name).with_plain_forms(), &config::ApiFacts::dropout);
  if (known == nullptr) return false;
  const config::Dropout& fact = **known;
  const auto given = number(ask(name, arguments, fact.probability).value);
  if (given && (*given == 0 || *given == 1)) return true;
  if (fact.training.empty()) return false;
  const Value* const training = ask(name, arguments, fact.training).value;
  if (training == nullptr) return !fact.trains_by_default;
  const auto flag = number(training);  // None of native_dropout: it is training
  return flag && *flag == 0;
}

std::optional<std::string> skip_by_arguments(const dump::ApiName& name, const Arguments& arguments,
                                             const config::Standards& standards, bool by_value) {
  const std::string sparse = " has a sparse layout, whose indices are not recorded";
  for (size_t i = 0; i < arguments.args.size(); ++i) {
    if (is_sparse(arguments.args[i])) return "input " + std::to_string(i) + sparse;
  }
  for (const auto& [keyword, value] : arguments.kwargs) {
    if (is_sparse(value)) return keyword + sparse;
  }
  if (by_value && draws_nothing(name, arguments)) return std::nullopt;
  return random_by_arguments(name, arguments, standards);
}

}  // namespace msprobe::ops
