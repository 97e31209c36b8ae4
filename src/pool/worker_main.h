// A worker process: opens its device, takes jobs from the queue one by one, sends outcomes. Runs foreign code, so it is
// expendable: nothing but the outcomes leaves it.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

#include "pool/checker.h"
#include "pool/job_queue.h"

namespace msprobe::pool {

struct WorkerSetup {
  OpenChecker open;
  std::function<std::string(size_t)> name;  ///< API of a job
  Place place;
  JobQueue* queue = nullptr;
  int socket = -1;              ///< this side's end
  int error_output = -1;        ///< takes the place of stderr; -1 leaves stderr
  pid_t parent = -1;            ///< the worker ends with it
  bool waits_for_rows = false;  ///< begins an API only when the rows of all that it finished before are written
};

/// Never returns: ends by _exit, so nothing of the parent (buffers, files) is touched on the way out.
[[noreturn]] void worker_main(const WorkerSetup& setup);

}  // namespace msprobe::pool
