// The `inplace` argument of torch.nn.functional's functions.
#pragma once
#include <optional>
#include <string_view>

#include "inputs/value.h"

namespace msprobe::ops {

/// What `inplace` of a torch.nn.functional call is: by keyword, or as that function's last positional parameter.
/// nullopt where the call does not say. `position` is set when it was given by position.
std::optional<bool> functional_inplace(std::string_view name, const inputs::Arguments& arguments,
                                       std::optional<size_t>* position = nullptr);

}  // namespace msprobe::ops
