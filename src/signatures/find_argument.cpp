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

/// What the file's own list of parameters says.
Found in_list(const std::vector<config::DeclaredName>& parameters, const CallShape& call, std::string_view name) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != name) continue;
    const bool given = !parameters[i].keyword_only && i < call.args.size();
    return {true, given ? std::optional(Place{false, i}) : std::nullopt};
  }
  return {};
}

Found in_overload(const Overload& overload, const CallShape& call, std::string_view name) {
  const auto at = overload.find(name);
  if (!at) return {};
  const bool given = *at < overload.positional && *at < call.args.size();
  return {true, given ? std::optional(Place{false, *at}) : std::nullopt};
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
