// A run's place for one worker: the process in it, which changes, and the clocks that it is watched by.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pool/worker_process.h"

namespace msprobe::pool {

/// Seconds; 0: any.
struct Limits {
  double api = 600;   ///< that an API may take
  double open = 600;  ///< that opening the device may take
};

struct Seat {
  explicit Seat(const Place& p) : place(p) {}

  Place place;                // of the process, or of the next one
  std::optional<Place> home;  // where it belongs, when `place` is another card's for one job
  std::unique_ptr<WorkerProcess> worker;
  std::optional<uint32_t> first;    // to be done first by the next process here: it is to prove itself in a fresh one
  bool proving = false;             // the process has that job
  std::string reason;               // why it was killed; empty: it was not
  bool left = false;                // it has announced its end, all it did is known
  bool let_go = false;              // ... because it is not needed any more
  double idle = 0, elapsed = 0;     // seconds: of not beginning a job; of the API (or opening) at hand
  uint32_t timed = 0;               // outcomes received when `elapsed` began
  double hung_up = -1, dying = -1;  // seconds since; negative: not
  double ending = 0;                // seconds since it left or hung up
  double pause = 0;                 // before the next start
  int failures = 0;                 // processes in a row that did not get their device open
  bool retired = false;             // no further process
  uint64_t memory_kills = 0;        // at the start of the process

  /// The card that it stands for.
  int card() const { return home.value_or(place).device; }
  /// Its process, or the one that could be started, can be given work.
  bool takes_work() const { return !retired && pause <= 0 && !left && dying < 0 && hung_up < 0; }
  bool works() const { return worker && worker->ready() && !retired; }

  /// Kills the process. `reason` is told, unless there is one already.
  void condemn(const std::string& why);
  /// Lets it go home; what it has not begun must have been taken back, and nothing must run.
  void dismiss();
  /// Lets `passed` seconds go by; a process beyond its limits, or out of order, is condemned.
  void watch(double passed, const Limits& limits);
  /// At most so many seconds may pass until the next watch().
  double patience(const Limits& limits) const;

 private:
  void watch_work(double passed, const Limits& limits);
};

/// From SIGKILL to the end of a process in seconds; longer: a driver holds it (state D).
constexpr double kDyingSeconds = 2;

}  // namespace msprobe::pool
