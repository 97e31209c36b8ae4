#include "pool/pool.h"

#include "pool/loop.h"
#include "pool/posix_system.h"

namespace msprobe::pool {

PoolResult run_pool(const PoolOptions& options) {
  if (options.count == 0 || options.places.empty()) return {};
  PosixSystem system(options);
  return run_loop(options, system);
}

}  // namespace msprobe::pool
