// Nearest interpolation: where each element is copied from is computed in the device's precision, and only the
// arithmetic behind it is raised (docs/execution.md#functions-that-jump).
#pragma once
#include "check/rebuilt.h"
#include "check/session.h"
#include "ops/registry.h"

namespace msprobe::check {

/// `way`, which copies elements of its input by their positions: the positions are asked of it in float32 (float64 for
/// a recorded float64), the elements copied in whatever precision they come, with their gradient. `way` itself where
/// the call's jumps (precision_standard.yaml) say nothing of positions.
ops::Candidate by_positions(const Session& session, const Rebuilt& rebuilt, ops::Candidate way);

}  // namespace msprobe::check
