// An operator's overloads as a Python call meets them: which parameters may be given by position, and in which order.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "dump/api_name.h"
#include "signatures/call_shape.h"
#include "signatures/signature.h"

namespace msprobe::signatures {

struct Overload {
  const Operator* op = nullptr;
  std::vector<const Parameter*> parameters;  ///< those by position first, in their order
  size_t positional = 0;

  /// The place of a parameter of this name among `parameters`; nullopt: there is none.
  std::optional<size_t> find(std::string_view name) const;
  /// True when Python's parser may take a call of this shape: names, counts and forms fit.
  bool takes(const CallShape& call) const;
};

/// The overloads that a recorded API may stand for, in the order in which Python tries them; empty: LibTorch has no
/// operator of that name.
std::vector<Overload> overloads(const dump::ApiName& api);

}  // namespace msprobe::signatures
