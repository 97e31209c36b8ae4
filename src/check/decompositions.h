// Eigenvectors and singular vectors are unique up to a factor of modulus 1 only, those of equal values up to a rotation
// among themselves, and no order of complex eigenvalues is due. Two right results may differ in all of that
// (docs/execution.md#decompositions), so the golden takes the device's choice before anything is compared.
#pragma once
#include "check/replay.h"

namespace msprobe::check {

/// Replaces the golden's outputs by equivalent ones, as near to the device's as the freedom allows, within the graph:
/// gradients flow through them. Fills replay.alignment. Does nothing for other calls, in profile mindstudio, and where
/// the sides' shapes differ or a value is not finite.
void align_decomposition(Replay& replay);

}  // namespace msprobe::check
