// Jobs on their way to one worker, in memory that both processes see. The supervisor puts jobs in and may take back
// what the worker has not begun; the worker takes one at a time. So the supervisor always knows which job runs: a crash
// costs that one.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "outcome/stage.h"

namespace msprobe::pool {

/// Lives in a page of its own (MAP_SHARED). The worker runs foreign code that may overwrite the page: the supervisor
/// keeps its own list of what it put in, and checks taken() against it.
class JobQueue {
 public:
  static constexpr uint32_t kCapacity = 64;

  // ---- supervisor
  /// Maps a queue; throws Error when the system has no memory. unmap() gives it back.
  static JobQueue* map();
  static void unmap(JobQueue* queue) noexcept;
  /// Fewer than kCapacity jobs may be in the queue.
  void put(uint32_t job);
  /// Takes back what the worker has not begun; returns how many jobs (the last ones put in).
  uint32_t take_back();
  /// Jobs begun since the start.
  uint32_t taken() const;
  /// So many of this worker's outcomes are in the files.
  void set_written(uint32_t outcomes) { written_.store(outcomes); }
  /// What the worker is doing with the job at hand.
  outcome::StageCell& stage() { return stage_; }
  /// True once when the worker has gone to sleep and wants a byte on its socket.
  bool wants_waking() { return asleep_.load() != 0 && asleep_.exchange(0) != 0; }

  // ---- both
  /// Jobs put in and neither begun nor taken back.
  uint32_t size() const;
  bool empty() const { return size() == 0; }

  // ---- worker
  std::optional<uint32_t> take();
  /// What take() would give; the supervisor may take it back before.
  std::optional<uint32_t> peek() const;
  uint32_t written() const { return written_.load(); }
  /// Before going to sleep; look at the queue once more afterwards.
  void fall_asleep() { asleep_.store(1); }
  void wake_up() { asleep_.store(0); }

 private:
  static uint32_t begun(uint64_t ends) { return static_cast<uint32_t>(ends >> 32); }
  static uint32_t put_in(uint64_t ends) { return static_cast<uint32_t>(ends); }
  static uint64_t pack(uint32_t begun, uint32_t put_in) { return uint64_t{begun} << 32 | put_in; }

  std::atomic<uint64_t> ends_{0};  ///< high half: jobs begun; low half: jobs put in
  std::atomic<uint32_t> asleep_{0}, written_{0};
  outcome::StageCell stage_{outcome::Stage::kUnknown};
  std::atomic<uint32_t> jobs_[kCapacity] = {};
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "two processes share it");
};

}  // namespace msprobe::pool
