#include "ops/functional_inplace.h"

#include <algorithm>

#include "config/api_facts.h"

namespace msprobe::ops {
namespace {

// Where `inplace` stands in one of torch.nn.functional's functions, of which signatures.yaml has the parameters.
std::optional<size_t> place_of_inplace(std::string_view function) {
  const config::ApiFacts* const facts = config::installed_api_facts().find("Functional." + std::string(function));
  if (facts == nullptr) return std::nullopt;
  const auto& all = facts->parameters;
  const auto found =
      std::find_if(all.begin(), all.end(), [](const config::DeclaredName& p) { return p.name == "inplace"; });
  return found == all.end() ? std::nullopt : std::optional<size_t>(found - all.begin());
}

}  // namespace

std::optional<bool> functional_inplace(std::string_view name, const inputs::Arguments& arguments,
                                       std::optional<size_t>* position) {
  if (const auto* value = arguments.kwarg("inplace")) {
    return value->is<bool>() ? std::optional<bool>(value->get<bool>()) : std::nullopt;
  }
  if (arguments.args.empty() || !arguments.args.back().is<bool>()) return std::nullopt;
  const std::optional<size_t> place = place_of_inplace(name);
  if (!place || arguments.args.size() != *place + 1) return std::nullopt;
  if (position) *position = place;
  return arguments.args.back().get<bool>();
}

}  // namespace msprobe::ops
