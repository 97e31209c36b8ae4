// Schemas as torch_npu registers them, and Python's way of writing them.
#pragma once
#include <string>
#include <string_view>

namespace msprobe::goldens {

/// Python's parameter list of a schema: "f(Tensor input, int dim=-1) -> Tensor" becomes "input, dim=-1".
std::string python_parameters(std::string_view schema);

}  // namespace msprobe::goldens
