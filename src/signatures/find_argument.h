// The one finder of arguments: which argument of a call stands for a parameter, by keyword or by the place that
// Python's signature gives it.
#pragma once
#include <optional>
#include <string_view>

#include "config/api_facts.h"
#include "dump/api_name.h"
#include "signatures/call_shape.h"

namespace msprobe::signatures {

/// Where an argument stands: in args or in kwargs.
struct Place {
  bool keyword = false;
  size_t index = 0;
  bool operator==(const Place&) const = default;
};

struct Found {
  bool known = false;            ///< the API, called in this way, has such a parameter
  std::optional<Place> place{};  ///< nullopt: left out
};

/// Looks for `parameter` (or an alias of it, aliases.h) among the call's keywords, then at the place that the API's
/// `parameters` in `known` give it, else at the place in the signature that the call follows: of LibTorch's overloads
/// the first, in Python's order, that takes a call of this shape and has the parameter; where none takes it (a call
/// that Python converts first), the first that has it.
Found find_argument(const config::FactTable& known, const dump::ApiName& api, const CallShape& call,
                    std::string_view parameter);

}  // namespace msprobe::signatures
