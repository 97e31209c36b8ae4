#include "signatures/find_argument.h"

#include <algorithm>

#include "signatures/aliases.h"
#include "signatures/overload.h"

namespace msprobe::signatures {
namespace {

std::optional<Place> by_keyword(const CallShape& call, std::string_view name) {
  for (size_t i = 0; i < call.kwargs.size(); ++i)
    if (call.kwargs[i].first == name) return Place{true, i};
  return std::nullopt;
}

/// A parameter that is not given by its name nor by its place: Python's parser takes second names of it, unless they
/// are other parameters' (`has`).
template <class Has>
Found by_second_name(const CallShape& call, std::string_view name, Has&& has) {
  const Aliases* const known = find_aliases(name);
  if (known == nullptr) return {true};
  for (const std::string_view alias : known->taken) {
    if (alias.empty() || has(alias)) continue;
    if (const auto place = by_keyword(call, alias)) return {true, place};
  }
  return {true};
}

/// What the file's own list of parameters says.
Found in_list(const std::vector<config::DeclaredName>& parameters, const CallShape& call, std::string_view name) {
  const auto place_of = [&](std::string_view wanted) {
    return std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == wanted; });
  };
  const auto at = place_of(name);
  if (at == parameters.end()) return {};
  const auto place = static_cast<size_t>(at - parameters.begin());
  if (!at->keyword_only && place < call.args.size()) return {true, Place{false, place}};
  return by_second_name(call, name, [&](std::string_view other) { return place_of(other) != parameters.end(); });
}

Found in_overload(const Overload& overload, const CallShape& call, std::string_view name) {
  const auto at = overload.find(name);
  if (!at) return {};
  if (*at < overload.positional && *at < call.args.size()) return {true, Place{false, *at}};
  return by_second_name(call, name, [&](std::string_view other) { return overload.find(other).has_value(); });
}

/// What the signatures say that a call of this shape may follow.
Found in_overloads(const std::vector<Overload>& all, const CallShape& call, std::string_view name) {
  bool taken = false;
  for (const Overload& overload : all) {
    if (!overload.takes(call)) continue;
    taken = true;
    if (const Found found = in_overload(overload, call, name); found.known) return found;
  }
  for (const Overload& overload : all)
    if (const Found found = in_overload(overload, call, name); !taken && found.known) return found;
  return {};
}

}  // namespace

Found find_argument(const config::FactTable& known, const dump::ApiName& api, const CallShape& call,
                    std::string_view parameter) {
  const auto* const parameters = known.find(config::ApiNames(api).with_plain_forms(), &config::ApiFacts::parameters);
  std::optional<std::vector<Overload>> all;
  Found found;
  any_name(parameter, [&](std::string_view name) {
    if (const auto place = by_keyword(call, name)) {
      found = {true, place};
    } else if (parameters != nullptr) {
      found = in_list(*parameters, call, name);
    } else {
      if (!all) all = overloads(api);
      found = in_overloads(*all, call, name);
    }
    return found.known;
  });
  return found;
}

}  // namespace msprobe::signatures
