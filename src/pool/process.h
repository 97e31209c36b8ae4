// One worker process as its supervisor sees it, as a seam: forked_process.h makes real ones.
#pragma once
#include <optional>
#include <string>

#include "pool/job_queue.h"
#include "pool/protocol.h"

namespace msprobe::pool {

/// How a process ended.
struct ExitStatus {
  bool signalled = false;
  int number = 0;  ///< of the signal; or the exit status
};

/// No call waits, but for the destructor.
class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Kills what still runs and does not wait for it longer than a moment.
  virtual ~Process() = default;

  /// Shared with it. After a change that it may be asleep for: wake() if the queue says so.
  virtual JobQueue& queue() = 0;
  virtual void wake() = 0;

  /// What System::wait() knows its channel by; -1: closed.
  virtual int channel() const = 0;
  /// Feeds what has arrived to `reader`; false: the process has closed the channel.
  virtual bool receive(FrameReader& reader) = 0;
  /// The process ends when it has nothing to do.
  virtual void close_channel() = 0;

  /// SIGKILL.
  virtual void kill() = 0;
  /// How it ended, once it has; nullopt while it lives.
  virtual std::optional<ExitStatus> reap() = 0;
  /// The system is taking it down, which can take a while: a worker holds gigabytes.
  virtual bool exiting() const = 0;

  /// The end of what it wrote to stderr, at most some lines; and keeps that from growing.
  virtual std::string last_words() const = 0;
  virtual void trim_output() const = 0;
};

}  // namespace msprobe::pool
