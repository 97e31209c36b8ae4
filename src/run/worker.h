// What a worker of the pool does in a run of checks: opens its device, rebuilds and checks APIs.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "pool/checker.h"
#include "run/threads.h"

namespace msprobe::run {

/// What the workers of a run are given.
struct Work {
  const config::Settings& settings;
  const config::Standards& standards;
  const dump::Index& index;
  const goldens::Registry& goldens;
  const std::vector<size_t>& todo;  ///< indices into `index`: a job is a position in it
  std::string error_data_dir;       ///< ut_error_data{timestamp}
};

/// Opens the device of `place`, in the worker's process. `work` and `threads` must outlive what it gives. Throws Error
/// as device::open does.
pool::Checker open_checker(const Work& work, Threads& threads, const pool::Place& place);

}  // namespace msprobe::run
