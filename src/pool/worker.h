// A worker as its supervisor's books have it: the jobs it has been given, what it has said, and its process.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "pool/process.h"

namespace msprobe::pool {

constexpr uint32_t kNoJob = ~uint32_t{0};

class Worker {
 public:
  explicit Worker(std::unique_ptr<Process> process) : process_(std::move(process)) {}

  Process& process() { return *process_; }
  const Process& process() const { return *process_; }
  bool connected() const { return process_->channel() >= 0; }
  bool opened() const { return opened_; }          ///< its device is open
  uint32_t received() const { return received_; }  ///< outcomes

  void put(uint32_t job);
  /// Jobs that it has but has not begun, taken back.
  std::vector<uint32_t> take_back();
  /// Given, outcome not yet received; in order.
  const std::deque<uint32_t>& assigned() const { return assigned_; }
  /// The job that runs now, or kNoJob. When the shared page was overwritten (see corrupt()), the oldest one given.
  uint32_t running() const;
  bool corrupt() const;
  outcome::Stage stage() const { return process_->queue().stage(); }  ///< of the job that runs now

  /// Reads what has arrived; false: it has hung up. Then frames are to be taken.
  bool receive() { return process_->receive(reader_); }
  std::optional<Frame> next_frame() { return reader_.next(); }
  bool broken() const { return reader_.broken(); }
  void note_opened() { opened_ = true; }
  /// An outcome for `job` has arrived; false when that job was not due.
  bool note_outcome(uint32_t job);
  /// So many of its outcomes are in the files.
  void note_written(uint32_t outcomes);

 private:
  void wake();

  std::unique_ptr<Process> process_;
  bool opened_ = false;
  std::deque<uint32_t> assigned_;
  uint32_t received_ = 0;
  FrameReader reader_;
};

}  // namespace msprobe::pool
