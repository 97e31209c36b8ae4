// The first argument of an operator has more than one name: users write self= and x= where the schema says input, and
// the reverse. Fewer names than signatures/aliases.h has for a parameter: an NPU operator may have an `a` or `x1` of
// its own beside its first.
#pragma once
#include <string_view>

#include "inputs/value.h"

namespace msprobe::goldens {

/// The name is one of those that stand for each other.
bool names_the_first(std::string_view name);

/// Gives the keyword that stands for `first` its name, where no argument is given by position. False: there is none to
/// rename.
bool rename_first(inputs::Arguments& arguments, std::string_view first);

}  // namespace msprobe::goldens
