// Which call a record stands for: a dump does not tell everything (lost namespaces, a positional dtype, autocast), so ways
// to call it are tried on the device until one gives what was recorded; the golden follows.
#pragma once
#include "run/replay.h"

namespace msprobe::run {

/// Calls both sides and fills their outputs. What was assumed stands in the API's Message. Throws Skip, and what the call
/// itself throws.
void call_both(Replay& replay);

}  // namespace msprobe::run
