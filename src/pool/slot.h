// A worker slot: the place for one process at a time, as a state machine.
//
//   kVacant   no process; one can be spawned when the pause is over
//   kOpening  the process opens its device
//   kWorking  the device is open: it does APIs
//   kLeaving  it has announced its end, all that it did is known
//   kLeft     ... and its channel is closed; or it was dismissed
//   kHungUp   its channel is closed without that: it has died, or something closed its descriptors
//   kKilled   SIGKILL is sent
//
//   kVacant -> kOpening -> kWorking -> kLeaving -> kLeft      spawn, note_opened, note_leaving, note_hung_up
//   kOpening, kWorking -> kHungUp                             note_hung_up
//   any with a process -> kLeft                               dismiss
//   any with a process -> kKilled                             kill: by others, or by advance() when a limit is passed
//   any with a process -> kVacant                             vacate, once reaped
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pool/checker.h"
#include "pool/death.h"
#include "pool/system.h"
#include "pool/work_clock.h"
#include "pool/worker.h"

namespace msprobe::pool {

enum class SlotState : uint8_t { kVacant, kOpening, kWorking, kLeaving, kLeft, kHungUp, kKilled };

/// One process and all that its slot knows of it; what is left of it when it is over.
struct Life {
  std::unique_ptr<Worker> worker;
  int device = 0;              ///< that it works on
  bool away = false;           ///< that is another slot's card, for one job
  bool announced = false;      ///< it has announced its end, or was dismissed
  bool dismissed = false;      ///< it is not needed any more
  bool killed = false;         ///< by its slot
  std::optional<Death> cause;  ///< why it was killed, or what it said of its end
  uint64_t memory_kills = 0;   ///< System::memory_kills() when it was spawned
};

class Slot {
 public:
  Slot(const Place& home, const Limits& limits) : home_(home), limits_(limits), clock_(limits) {}

  SlotState state() const { return state_; }
  bool vacant() const { return state_ == SlotState::kVacant; }
  /// nullptr in a vacant slot.
  Worker* worker() { return life_.worker.get(); }
  const Worker* worker() const { return life_.worker.get(); }
  /// The card that it stands for.
  int card() const { return home_.device; }
  /// The card of its process, or of the next one.
  int device() const { return place().device; }
  bool away() const { return lent_.has_value(); }
  bool retired() const { return retired_; }
  /// Its process, or the one that could be spawned, can be given jobs.
  bool takes_work() const;
  /// Its device is open.
  bool works() const { return life_.worker && life_.worker->opened() && !retired_; }

  // ---- between two processes
  /// The next process works at `place`, for one job.
  void lend(const Place& place) { lent_ = place; }
  void recall() { lent_.reset(); }
  /// No process is spawned sooner than in so many seconds.
  void pause(double seconds) { pause_ = seconds; }
  /// No further process.
  void retire() { retired_ = true; }
  /// `job` is what the next process does first: it is to prove itself in a fresh one.
  void reserve(uint32_t job) { reserved_ = job; }
  bool has_reserved() const { return reserved_.has_value(); }
  std::optional<uint32_t> drop_reserved() { return std::exchange(reserved_, std::nullopt); }

  // ---- the life of a process
  /// Throws Error when the system gives none.
  void spawn(System& system);
  /// The reserved job, for the process that is there or is spawned for it: the job is proving() until the process has
  /// done it.
  std::optional<uint32_t> start_reserved();
  bool proving() const { return proving_; }
  void note_outcome() { proving_ = false; }
  void note_opened();
  /// Processes in a row that did not get their device open, with this one.
  int note_open_failure() { return ++open_failures_; }
  void note_leaving();
  bool announced() const { return life_.announced; }
  /// The process says why it cannot work.
  void note_leaving(const std::string& why);
  void note_hung_up();
  /// Lets it go; what it has not begun must have been taken back, and nothing must run.
  void dismiss();
  /// Kills the process; does nothing to one that is killed already. An earlier cause stands.
  void kill(const std::optional<Death>& why);
  /// Lets `passed` seconds go by; a process beyond its limits, or out of order, is killed.
  void advance(double passed);
  /// At most so many seconds may pass until the next advance(); infinite: any.
  double patience() const;
  /// How its process ended; nullopt while it lives, or nothing hints at its end. `child_ended`: some child may have.
  /// One that outlives SIGKILL counts as dead after a while: a driver holds it.
  std::optional<ExitStatus> reap(bool child_ended);
  /// After reap(): takes the process out. The slot is back on its own card.
  Life vacate();

 private:
  const Place& place() const { return lent_ ? *lent_ : home_; }
  void enter(SlotState state);
  bool ending() const;

  Place home_;
  std::optional<Place> lent_;
  Limits limits_;
  bool retired_ = false;
  std::optional<uint32_t> reserved_;
  bool proving_ = false;
  double pause_ = 0;
  int open_failures_ = 0;  ///< in a row

  SlotState state_ = SlotState::kVacant;
  double in_state_ = 0;        ///< seconds
  double ending_seconds_ = 0;  ///< in the states in which it ends by itself, together
  WorkClock clock_;
  Life life_;
};

}  // namespace msprobe::pool
