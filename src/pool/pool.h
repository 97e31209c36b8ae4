// Worker processes and the loop that feeds them: dispatch, crashes, hangs, signals. Knows nothing of dumps and tensors.
//
// Order of events for one API: a worker begins it (visible in the shared queue), rebuilds it, checks it, sends its
// outcome, the outcome is written when all earlier ones are. A lone worker rebuilds the next API meanwhile, and checks
// it when the row stands: a kill repeats the operators of one API at most. What goes wrong costs that API alone:
//
// - The process dies: SKIP "crashed: SIGSEGV (segmentation fault)". If it had checked other APIs before, the API is
//   first tried once more in a fresh process, so that it does not pay for what they broke, and on another card where
//   there is one, so that it does not pay for a bad card. If that one does not crash, its outcome stands, and its
//   Message tells of the first try. A card on which kMaxDeviceFailures APIs in a row crashed that another one checked
//   gets no more.
// - SIGKILL from outside: tried once more, which no row tells; then SKIP "crashed: SIGKILL (killed)" or "out of memory:
//   killed by the system".
// - Longer than the timeout: SIGKILL, SKIP "timed out after 5 s". Time for which this process was stopped does not
//   count.
// - The device does not open: an error that ends the run when it never opened, or failed kMaxDeviceFailures times in a
//   row.
//
// Files: slot.h a worker's place, as a state machine | worker.h its books | dispatcher.h who gets which job | inbox.h
// what workers say | reaper.h what is done about a process that ended, by retries.h | row_writer.h rows in order |
// loop.h all of that, on a system.h that tests fake.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "outcome/row.h"
#include "pool/checker.h"
#include "pool/devices.h"
#include "pool/run_end.h"

namespace msprobe::pool {

struct PoolOptions {
  std::vector<Place> places;  ///< one worker each
  std::string device_type;    ///< "npu": the log names a crash's card, npu:1; empty: it does not
  size_t count = 0;           ///< jobs 0..count-1
  OpenChecker open;           ///< called in the workers
  std::function<std::string(size_t)> name;
  std::function<double(size_t)> cost;  ///< estimated seconds; asked only where several workers share the jobs
  /// Called in the order of the jobs, as soon as possible. False ends the run (kFinished). Error ends it too
  /// (kCouldNotFinish).
  std::function<bool(const outcome::ApiOutcome&)> write;
  /// Called behind each write that succeeded: what no worker is to wait for. May be empty.
  std::function<void(const outcome::ApiOutcome&)> tell;
  std::function<void()> tick;      ///< called often, at least every fifth of a second; may be empty
  std::function<void()> in_child;  ///< called in a worker first; may be empty
  double timeout = 600;            ///< seconds an API may take; 0: any
  double open_timeout = 600;       ///< seconds that opening the device may take; 0: any
};

struct PoolResult {
  RunEnd end = RunEnd::kFinished;
  std::string error;  ///< why it could not finish
  size_t written = 0;
  int signal = 0;  ///< which interrupted it
};

/// Must be called from the thread that no operator ever ran on (fork). Installs signal handlers for its duration.
PoolResult run_pool(const PoolOptions& options);

}  // namespace msprobe::pool
