// A recorded call's arguments in the order and types of a c10 schema: of a TorchScript function, or of a library's
// golden.
#pragma once
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::goldens {

/// One IValue an argument of `schema`, defaults filled in. `skip`: so many first arguments of the schema are not bound
/// (self of a module's method). Throws ops::NoMatch naming `function` and the argument: missing, unknown, given twice,
/// or of a type that does not fit.
std::vector<c10::IValue> bind_schema(const std::string& function, const c10::FunctionSchema& schema,
                                     const inputs::Arguments& arguments, size_t skip = 0);

/// Arguments of a backward function: one gradient for each floating output, then the call's.
inputs::Arguments gradients_first(const std::vector<at::Tensor>& gradients, const inputs::Arguments& arguments);

}  // namespace msprobe::goldens
