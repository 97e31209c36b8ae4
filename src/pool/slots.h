// All worker slots of a run, and what concerns more than one of them: jobs that are requeued, cards to try on.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pool/devices.h"
#include "pool/scheduler.h"
#include "pool/slot.h"

namespace msprobe::pool {

class Slots {
 public:
  /// One slot a place. `scheduler` and `devices` must outlive it.
  Slots(const std::vector<Place>& places, const Limits& limits, Scheduler& scheduler, Devices& devices);

  auto begin() { return slots_.begin(); }
  auto end() { return slots_.end(); }
  /// Several workers share the jobs; false: a lone one does them all.
  bool several() const { return slots_.size() > 1; }
  /// Some worker has jobs.
  bool busy() const;
  /// No process is left, and none will be spawned.
  bool all_gone() const;
  /// Some other slot's device is open.
  bool others_work(const Slot& slot) const;

  /// What its worker has not begun goes back to the scheduler; false: there was nothing.
  bool requeue_unbegun(Slot& slot);
  void requeue_reserved(Slot& slot);
  /// It gets no further job: what it has not begun is requeued, and its worker is dismissed when it has done what it
  /// has. To be called again after each of its outcomes.
  void drain(Slot& slot);
  /// Logged.
  void retire(Slot& slot, const std::string& why);

  /// Where an API can be tried that crashed in `slot`.
  std::optional<Place> another_card(const Slot& slot) const;
  /// APIs crash on `card` that others check: its slots are retired, what is lent to it comes back. The last card that
  /// is left is kept.
  void give_up(int card);

 private:
  std::vector<Slot> slots_;
  Scheduler& scheduler_;
  Devices& devices_;
};

}  // namespace msprobe::pool
