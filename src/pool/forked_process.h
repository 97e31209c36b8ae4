// A worker process that is forked: a stream socket for its frames, a page for its queue, a file in memory for what it
// writes to stderr.
#pragma once
#include <sys/types.h>

#include <functional>

#include "pool/process.h"
#include "pool/worker_main.h"

namespace msprobe::pool {

class ForkedProcess final : public Process {
 public:
  /// Forks. `setup`: open, name, place, waits_for_rows; the rest is filled in here. `in_child` runs in the worker
  /// before anything else (closing descriptors that are the supervisor's). Throws Error when the system gives no
  /// process.
  ForkedProcess(WorkerSetup setup, const std::function<void()>& in_child);
  ~ForkedProcess() override;

  JobQueue& queue() override { return *queue_; }
  void wake() override;
  int channel() const override { return socket_; }
  bool receive(FrameReader& reader) override;
  void close_channel() override;
  void kill() override;
  std::optional<ExitStatus> reap() override;
  bool exiting() const override;
  std::string last_words() const override;
  void trim_output() const override;

 private:
  pid_t pid_ = -1;  ///< -1: reaped
  int socket_ = -1, output_ = -1;
  JobQueue* queue_ = nullptr;
};

}  // namespace msprobe::pool
