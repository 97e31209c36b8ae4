// Names that a Python file takes for granted, and LibTorch's compiler does not know without Python: torch, math, F, the
// exceptions, and the constants of the file.
#pragma once
#include <torch/csrc/jit/frontend/resolver.h>

#include "goldens/user/configuration.h"

namespace msprobe::goldens {

torch::jit::ResolverPtr python_names(const UserOperator& op);

}  // namespace msprobe::goldens
