#include "ops/refusals/refusal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <utility>

#include "signatures/python_names.h"

namespace msprobe::ops {
namespace {

struct Entry {
  const char* declaration;
  RefusalRegistration::Check check;
};
using Entries = std::map<std::string, Entry, std::less<>>;

// Filled by static objects before main, read only afterwards.
Entries& entries() {
  static Entries all;
  return all;
}

// repr(float): the shortest text that reads back, with a point or an exponent.
std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

void value_error(std::string words) {
  throw Refused{"ValueError", std::move(words)};
}
void runtime_error(std::string words) {
  throw Refused{"RuntimeError", std::move(words)};
}
void assertion_error(std::string words) {
  throw Refused{"AssertionError", std::move(words)};
}
void not_implemented(std::string words) {
  throw Refused{"NotImplementedError", std::move(words)};
}

RefusalRegistration::RefusalRegistration(std::initializer_list<const char*> functions, const char* declaration,
                                         Check check) {
  for (const char* function : functions) {
    if (!entries().try_emplace(function, Entry{declaration, check}).second)
      throw std::logic_error(std::string("two checks are registered for ") + function);
  }
}

std::string size_text(at::IntArrayRef sizes) {
  return "torch.Size(" + list_text(sizes) + ")";
}
std::string list_text(at::IntArrayRef numbers) {
  return fmt::format("[{}]", fmt::join(numbers.begin(), numbers.end(), ", "));
}
std::string tuple_text(at::IntArrayRef numbers) {
  return fmt::format("({}{})", fmt::join(numbers.begin(), numbers.end(), ", "), numbers.size() == 1 ? "," : "");
}

std::string python_text(const Value& value) {
  if (value.is_none()) return "None";
  if (const auto* b = value.get_if<bool>()) return *b ? "True" : "False";
  if (const auto* i = value.get_if<int64_t>()) return std::to_string(*i);
  if (const auto* d = value.get_if<double>()) return float_text(*d);
  if (const auto* s = value.get_if<std::string>()) return *s;
  const auto* list = value.get_if<inputs::List>();
  if (list == nullptr) return "";
  std::vector<std::string> items;
  for (const Value& item : list->items) items.push_back(python_text(item));
  if (list->is_size) return fmt::format("torch.Size([{}])", fmt::join(items, ", "));
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

void check_reduction(const PythonCall& c, bool with_batchmean) {
  if (c.has("size_average") || c.has("reduce")) return;
  const std::string reduction = c.string("reduction");
  for (const char* known : {"none", "mean", "elementwise_mean", "sum"})
    if (reduction == known) return;
  if (with_batchmean && reduction == "batchmean") return;
  value_error(reduction + " is not a valid value for reduction");
}

std::optional<std::string> python_refusal(const dump::ApiName& name, const Arguments& arguments) {
  const config::PythonName python = signatures::python_name(name);
  if (python.type != "Functional") return std::nullopt;
  const auto entry = entries().find(python.name);
  if (entry == entries().end()) return std::nullopt;
  try {
    entry->second.check(PythonCall(python.name, entry->second.declaration, arguments));
  } catch (const Refused& refused) {
    return refused.kind + ": " + refused.words;
  } catch (const NoMatch&) {  // told by the call itself
  }
  return std::nullopt;
}

}  // namespace msprobe::ops
