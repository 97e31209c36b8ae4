// Goldens in plain Python files, as MindStudio's bench_functions hold them.
#pragma once
#include <memory>

#include "goldens/user/users_golden.h"

namespace msprobe::goldens {

/// Calls op.forward of op.file by `python`, with the arguments as recorded, or bound by op.schema where there is one.
/// Gradients: op.backward, else torch's autograd over there.
std::unique_ptr<UsersGolden> python_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python);

}  // namespace msprobe::goldens
