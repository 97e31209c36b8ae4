// Names that one parameter goes by: Python's, the schema's, numpy's.
#pragma once
#include <array>
#include <string_view>

namespace msprobe::signatures {

/// Second names of a parameter, the likeliest first.
struct Aliases {
  std::string_view name;
  std::array<std::string_view, 4> taken = {};  ///< Python's parser takes them for this keyword, numpy's among them
  std::array<std::string_view, 3> other = {};  ///< what a schema or another form of the API calls it
};

/// nullptr: the name has none.
const Aliases* find_aliases(std::string_view name);

/// True when the parameters of these names are the same one.
bool is_alias(std::string_view name, std::string_view other);

/// Calls visit(name), then visit(alias) for each alias, until one returns true.
template <class Visit>
bool any_name(std::string_view name, Visit&& visit) {
  if (visit(name)) return true;
  const Aliases* const known = find_aliases(name);
  if (known == nullptr) return false;
  for (const std::string_view alias : known->taken)
    if (!alias.empty() && visit(alias)) return true;
  for (const std::string_view alias : known->other)
    if (!alias.empty() && visit(alias)) return true;
  return false;
}

}  // namespace msprobe::signatures
