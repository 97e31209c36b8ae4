// Defaults that depend on the dtype (rms_norm's eps, matrix_rank's rtol): in float64 the golden would take another one
// than the recorded call did, and answer another question.
#pragma once
#include <string>

#include "check/replay.h"

namespace msprobe::check {

/// Gives the golden's arguments what PyTorch takes for the recorded dtype where the call leaves such a parameter out
/// (precision_standard.yaml, dtype_defaults; profile documented). Returns what Message says of it, or "".
std::string fill_dtype_defaults(const Replay& replay, inputs::Arguments& golden);

}  // namespace msprobe::check
