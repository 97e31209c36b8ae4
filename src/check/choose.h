// Which call a record stands for: a dump does not tell everything (lost namespaces, a positional dtype, autocast), so
// ways to call it are tried on the device until one gives what was recorded; the golden follows.
#pragma once
#include "check/replay.h"

namespace msprobe::check {

/// All that goes before the first operator: the ways to call it, and the arguments of the first. Throws Skip, and Error
/// of the device.
void find_ways(Replay& replay);

/// After find_ways. Calls both sides and fills their outputs. What was assumed stands in the API's Message. Throws
/// Skip, and what the call itself throws.
void call_both(Replay& replay);

}  // namespace msprobe::check
