// Which worker gets which job, and when a process is spawned for it.
#pragma once
#include <cstdint>
#include <optional>

#include "pool/scheduler.h"
#include "pool/slots.h"
#include "pool/system.h"

namespace msprobe::pool {

/// Jobs given to a lone worker: the round trip costs nothing then.
constexpr size_t kAhead = 16;

class Dispatcher {
 public:
  /// All must outlive it.
  Dispatcher(System& system, Scheduler& scheduler, Slots& slots)
      : system_(system), scheduler_(scheduler), slots_(slots) {}

  /// Gives `slot` as many jobs as it is to have, and a process if it has none. What others have not begun is taken from
  /// them when there is nothing else. Throws Error when the system gives no process and no other worker is left.
  void feed(Slot& slot);

 private:
  bool wants_more(const Slot& slot) const;
  std::optional<uint32_t> next_job(Slot& slot);
  bool spawn_for(uint32_t job, Slot& slot);

  System& system_;
  Scheduler& scheduler_;
  Slots& slots_;
};

}  // namespace msprobe::pool
