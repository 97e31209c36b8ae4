#include "signatures/aliases.h"

#include <algorithm>
#include <iterator>

namespace msprobe::signatures {
namespace {

constexpr Aliases kAliases[] = {
    {"input", {"x", "a", "x1", "self"}, {}},
    {"self", {"input"}, {}},
    {"other", {"x2"}, {}},
    {"dim", {"axis"}, {}},
    {"keepdim", {"keepdims"}, {}},
    {"src", {"other", "x2"}, {"source"}},  // x.copy_(other)
    {"x", {}, {"x1"}},
    {"data", {}, {"input"}},
    {"value", {}, {"values"}},
    {"indices", {}, {"index"}},
    {"tensor_indices_or_sections", {"indices_or_sections"}, {"indices"}},
    {"L", {}, {"input2", "A"}},
    {"A", {}, {"input", "self"}},
    {"_random_samples", {}, {"random_samples"}},
};

}  // namespace

const Aliases* find_aliases(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Aliases& known) { return known.name == name; });
  return found == std::end(kAliases) ? nullptr : found;
}

bool is_alias(std::string_view name, std::string_view other) {
  const auto same = [](std::string_view wanted) { return [wanted](std::string_view word) { return word == wanted; }; };
  return any_name(name, same(other)) || any_name(other, same(name));
}

}  // namespace msprobe::signatures
