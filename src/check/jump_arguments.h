// What the golden of a function that jumps gets (docs/execution.md#functions-that-jump).
#pragma once
#include "check/rebuilt.h"
#include "check/session.h"
#include "config/jumps.h"

namespace msprobe::check {

/// nullptr: the call does not jump, or the profile makes no such distinction.
const config::Jump* jump_of(const Session& session, const Rebuilt& rebuilt);

/// inputs::golden_arguments, raised, with operands in the dtype in which PyTorch takes them and positions in float32
/// where the call asks for it.
inputs::Arguments raised_arguments(const Session& session, const Rebuilt& rebuilt);

/// inputs::second_arguments with the same operands.
inputs::Arguments second_arguments(const Session& session, const Rebuilt& rebuilt);

/// `recorded` with numbers, and under kTensor tensors, converted to what the call computes in. Tensors keep
/// requires_grad; those that need no conversion are shared.
inputs::Arguments with_operands(inputs::Arguments recorded, config::Jump::Operands operands);

}  // namespace msprobe::check
