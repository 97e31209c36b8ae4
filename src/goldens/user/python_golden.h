// Goldens in plain Python files, as MindStudio's bench_functions hold them.
#pragma once
#include <functional>
#include <memory>

#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

class PythonProcess;

/// Calls op.forward of op.file by `python`, with the arguments as recorded, or bound by
/// op.schema where there is one. Gradients: op.backward, else torch's autograd over there.
std::function<inputs::Value(const inputs::Arguments&)> python_golden(const UserOperator& op,
                                                                     std::shared_ptr<PythonProcess> python);

}  // namespace msprobe::goldens
