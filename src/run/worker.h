// What a worker of the pool does in a run of checks: opens its device, rebuilds and checks APIs.
#pragma once
#include "pool/checker.h"
#include "run/threads.h"
#include "run/work.h"

namespace msprobe::run {

/// Opens the device of `place`, in the worker's process. `work` and `threads` must outlive what it gives. Throws Error
/// as device::open does.
pool::Checker open_checker(const Work& work, Threads& threads, const pool::Place& place);

}  // namespace msprobe::run
