// The operating system as the pool's loop uses it, as a seam: processes, time and signals. Tests put in processes that
// crash, hang and hang up by a clock of their own; posix_system.h is the one that runs use.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "pool/checker.h"
#include "pool/process.h"

namespace msprobe::pool {

class System {
 public:
  virtual ~System() = default;

  /// A process that works at `place`. Throws Error when the system gives none.
  virtual std::unique_ptr<Process> spawn(const Place& place) = 0;

  /// Seconds of a clock that never goes back.
  virtual double now() const = 0;
  virtual void sleep(double seconds) = 0;
  /// Waits until a channel of `channels` can be read, a child has ended, a signal has come, or `seconds` are over (at
  /// least a millisecond). Leaves those in `channels` that can be read. True: a signal has come, SIGCHLD among them.
  virtual bool wait(std::vector<int>& channels, double seconds) = 0;

  /// How often the run was asked to end: 1 = after the APIs at hand, 2 and more = now.
  virtual int interruptions() const = 0;
  /// The signal that asked first; 0: none.
  virtual int first_signal() const = 0;
  /// How often the kernel has killed a process for want of memory; 0 where it does not tell.
  virtual uint64_t memory_kills() const = 0;
};

}  // namespace msprobe::pool
