// All overloads of an operator, by its name, from LibTorch's dispatcher.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <string_view>
#include <vector>

namespace msprobe::signatures {

/// Overloads with a schema of "aten::add", in the order in which they were registered; empty: none. Knows what
/// libraries loaded later bring. May be called from several threads.
std::vector<c10::OperatorHandle> overloads_of(std::string_view qualified_name);

}  // namespace msprobe::signatures
