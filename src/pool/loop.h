// The pool's loop: jobs out, outcomes in, rows written, processes that have ended settled, clocks watched.
#pragma once
#include "pool/pool.h"
#include "pool/system.h"

namespace msprobe::pool {

/// run_pool() on a system that tests may fake. There is at least one job and one place.
PoolResult run_loop(const PoolOptions& options, System& system);

}  // namespace msprobe::pool
