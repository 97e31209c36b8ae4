// What the golden's call in float64 leaves away of the device's: flags and dtypes that low precision alone knows, and
// operators that no other dtype has (docs/execution.md#what-float64-does-not-know).
#pragma once
#include "check/rebuilt.h"
#include "check/session.h"
#include "ops/registry.h"

namespace msprobe::check {

/// `golden` without what `in_float64` of config/signatures.yaml names. Profile documented; as it is where the golden is
/// not raised, and for NPU operators and users' goldens, which know their own arguments.
inputs::Arguments in_float64(const Session& session, const Rebuilt& rebuilt, inputs::Arguments golden);

/// What computes the golden in float64 where LibTorch's own operator refuses to: `devices`, or a golden of this
/// program.
ops::Candidate golden_in_float64(const Session& session, const Rebuilt& rebuilt, const ops::Candidate& devices);

}  // namespace msprobe::check
