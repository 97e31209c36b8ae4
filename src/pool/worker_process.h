// The supervisor's side of one worker: its process, socket, queue, and what it has been given.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pool/checker.h"
#include "pool/job_queue.h"
#include "pool/protocol.h"
#include "pool/worker.h"

namespace msprobe::pool {

constexpr uint32_t kNoJob = ~uint32_t{0};

class WorkerProcess {
 public:
  /// Forks. `setup`: open, name, place, waits_for_rows; the rest is filled in here. `in_child` runs in the worker
  /// before anything else (closing descriptors that are the supervisor's). Throws Error when the system gives no
  /// process.
  WorkerProcess(WorkerSetup setup, const std::function<void()>& in_child);
  /// Kills what still runs and does not wait for it longer than a moment.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// The kernel is taking the process down (after SIGKILL that can take a while: a worker holds gigabytes).
  bool exiting() const;
  int socket() const { return socket_; }  ///< -1: it has hung up
  bool ready() const { return ready_; }   ///< its device is open
  uint32_t received() const { return received_; }

  void put(uint32_t job);
  /// Jobs that it has but has not begun, taken back.
  std::vector<uint32_t> take_back();
  const std::deque<uint32_t>& assigned() const { return assigned_; }
  /// The job that runs now, or kNoJob. When the shared page was overwritten (see corrupt()), the oldest one given.
  uint32_t running() const;
  bool corrupt() const;
  outcome::Stage stage() const { return queue_->stage(); }  ///< of the job that runs now

  /// Reads what has arrived; false: it has hung up. Then frames are to be taken.
  bool receive();
  std::optional<Frame> next_frame() { return reader_.next(); }
  bool broken() const { return reader_.broken(); }
  void note_ready() { ready_ = true; }
  /// An outcome for `job` has arrived; false when that job was not due.
  bool note_outcome(uint32_t job);
  void note_written(uint32_t outcomes);
  /// Closes the socket: it goes home when it has nothing to do.
  void dismiss();
  void kill();
  /// Its wait status once it has ended; nullopt while it lives.
  std::optional<int> reap();
  /// The end of what it wrote to stderr, at most some lines; and keeps that file from growing.
  std::string last_words() const;
  void trim_output() const;

 private:
  void wake();

  pid_t pid_ = -1;
  int socket_ = -1, output_ = -1;
  JobQueue* queue_ = nullptr;
  bool ready_ = false;
  std::deque<uint32_t> assigned_;  ///< given, outcome not yet received; in order
  uint32_t received_ = 0;          ///< outcomes
  FrameReader reader_;
};

}  // namespace msprobe::pool
