// Goldens written in TorchScript, as text or as a module that torch.jit.save wrote.
#pragma once
#include <memory>

#include "goldens/user/users_golden.h"

namespace msprobe::goldens {

/// The golden of `op` (kTorchScript or kModule), compiled at its first call and kept. Autograd runs through it unless
/// op.backward names a function. What the compiler does not take is run by `python` where op.or_python allows it; the
/// remark says so, and why.
std::unique_ptr<UsersGolden> torchscript_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python);

}  // namespace msprobe::goldens
