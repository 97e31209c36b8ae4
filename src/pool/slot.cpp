#include "pool/slot.h"

#include <signal.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace msprobe::pool {
namespace {

constexpr double kHangUpSeconds = 0.1;  // from a closed channel to the end of the process
constexpr double kLeaveSeconds = 2;     // ... when it has announced its end
constexpr double kEndingSeconds = 30;   // for which its end may take: a worker holds gigabytes, a driver may hold it
constexpr double kKilledSeconds = 2;    // from SIGKILL to the end; longer: a driver holds it (state D)

}  // namespace

void Slot::enter(SlotState state) {
  state_ = state;
  in_state_ = 0;
}

bool Slot::takes_work() const {
  const bool open_to_work =
      state_ == SlotState::kVacant || state_ == SlotState::kOpening || state_ == SlotState::kWorking;
  return open_to_work && !retired_ && pause_ <= 0;
}

bool Slot::ending() const {
  return state_ == SlotState::kLeaving || state_ == SlotState::kLeft || state_ == SlotState::kHungUp;
}

void Slot::spawn(System& system) {
  life_.memory_kills = system.memory_kills();
  life_.device = device();
  life_.away = away();
  life_.worker = std::make_unique<Worker>(system.spawn(place()));
  clock_ = WorkClock(limits_);
  ending_seconds_ = 0;
  enter(SlotState::kOpening);
}

std::optional<uint32_t> Slot::start_reserved() {
  proving_ = proving_ || reserved_;
  return drop_reserved();
}

void Slot::note_opened() {
  life_.worker->note_opened();
  clock_.restart();
  open_failures_ = 0;
  if (state_ == SlotState::kOpening) enter(SlotState::kWorking);
}

void Slot::note_leaving() {
  life_.announced = true;
  if (state_ == SlotState::kOpening || state_ == SlotState::kWorking) enter(SlotState::kLeaving);
}

void Slot::note_leaving(const std::string& why) {
  life_.cause = Death{Death::Kind::kOpenFailed, 0, 0, outcome::Stage::kUnknown, why};
  note_leaving();
}

void Slot::note_hung_up() {
  life_.worker->process().close_channel();
  if (state_ == SlotState::kLeaving)
    enter(SlotState::kLeft);
  else if (state_ == SlotState::kOpening || state_ == SlotState::kWorking)
    enter(SlotState::kHungUp);
}

void Slot::dismiss() {
  life_.worker->process().close_channel();
  life_.announced = life_.dismissed = true;
  if (state_ != SlotState::kKilled) enter(SlotState::kLeft);
}

void Slot::kill(const std::optional<Death>& why) {
  if (state_ == SlotState::kKilled) return;
  if (!life_.cause) life_.cause = why;
  life_.worker->process().kill();
  enter(SlotState::kKilled);
}

void Slot::advance(double passed) {
  if (vacant()) {
    pause_ = std::max(0.0, pause_ - passed);
    return;
  }
  in_state_ += passed;
  if (ending()) {
    ending_seconds_ += passed;
    // A killed process closes its channel long before it is gone; only one that lives on has closed it itself.
    const bool overdue = (state_ == SlotState::kLeft && in_state_ > kLeaveSeconds) ||
                         (state_ == SlotState::kHungUp && in_state_ > kHangUpSeconds);
    if (overdue && !life_.worker->process().exiting()) return kill(Death{Death::Kind::kLostChannel});
    if (ending_seconds_ > kEndingSeconds) return kill(Death{Death::Kind::kDoesNotEnd});
  }
  if (life_.announced || state_ == SlotState::kKilled) return;
  if (const auto death = clock_.advance(*life_.worker, passed)) kill(death);
}

double Slot::patience() const {
  double seconds = pause_ > 0 ? pause_ : std::numeric_limits<double>::infinity();
  if (vacant()) return seconds;
  if (state_ == SlotState::kHungUp || state_ == SlotState::kLeft) seconds = std::min(seconds, kHangUpSeconds);
  return std::min(seconds, clock_.left(*life_.worker));
}

std::optional<ExitStatus> Slot::reap(bool child_ended) {
  const bool hinted =
      child_ended || state_ == SlotState::kHungUp || state_ == SlotState::kLeft || state_ == SlotState::kKilled;
  if (vacant() || !hinted) return std::nullopt;
  const auto status = life_.worker->process().reap();
  if (!status && state_ == SlotState::kKilled && in_state_ > kKilledSeconds) return ExitStatus{true, SIGKILL};
  return status;
}

Life Slot::vacate() {
  Life over = std::exchange(life_, {});
  over.killed = state_ == SlotState::kKilled;
  proving_ = false;
  recall();
  enter(SlotState::kVacant);
  return over;
}

}  // namespace msprobe::pool
