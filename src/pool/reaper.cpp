#include "pool/reaper.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include "outcome/skipped.h"

namespace msprobe::pool {
namespace {

constexpr int kSlotFailures = 3;  // in a row, while others work on the device: it has no room for this worker

void log_last_words(const Worker& worker) {
  if (const std::string words = worker.process().last_words(); !words.empty())
    spdlog::info("its last words: {}", words);
}

}  // namespace

void Reaper::settle(Slot& slot, const ExitStatus& status, bool interrupted) {
  const Life over = slot.vacate();
  const uint32_t running = over.worker->opened() ? over.worker->running() : kNoJob;
  const Death death = cause_of(over, status, running);
  requeue_others(slot, over, running, interrupted);
  if ((interrupted || over.dismissed) && running == kNoJob) return;
  if (!over.worker->opened()) {
    settle_unopened(slot, over, death);
  } else if (running != kNoJob) {
    settle_running(slot, over, death, running, interrupted);
  } else if (!over.announced) {
    spdlog::warn("a worker of device {} died between two APIs: {}", slot.device(), message_of(death));
    log_last_words(*over.worker);
    // A process that never comes to an API must not be replaced for ever.
    if (over.worker->received() == 0)
      slot.pause(devices_.note_failed(slot.device(), message_of(death), /*final=*/false));
  }
}

Death Reaper::cause_of(const Life& over, const ExitStatus& status, uint32_t running) const {
  if (over.cause) return *over.cause;
  const bool killed = status.signalled && status.number == SIGKILL;
  Death death = death_of(status, killed && system_.memory_kills() > over.memory_kills);
  if (running != kNoJob && died_by_itself(death)) death.stage = over.worker->stage();
  return death;
}

void Reaper::requeue_others(Slot& slot, const Life& over, uint32_t running, bool interrupted) {
  const bool no_room = over.away && !over.worker->opened();  // for a second process on that card
  for (uint32_t job : over.worker->assigned()) {
    if (job == running || (no_room && hand_over(job, over.device))) continue;
    if (no_room && !interrupted && !slot.retired() && !slot.has_reserved())
      slot.reserve(job);  // its fresh process is then one at home
    else
      scheduler_.requeue(job);
  }
}

// To a worker that works on `device` already; false: there is none.
bool Reaper::hand_over(uint32_t job, int device) {
  for (auto& slot : slots_) {
    if (slot.device() != device || !slot.works() || !slot.takes_work()) continue;
    slot.worker()->put(job);
    return true;
  }
  return false;
}

void Reaper::settle_unopened(Slot& slot, const Life& over, const Death& death) {
  log_last_words(*over.worker);
  const bool said_why = over.announced || over.killed;  // an error or a timeout of opening, not a crash
  if (over.away)                                        // its own card is still to be tried
    spdlog::warn("no second worker{}: {}", devices_.on(over.device), message_of(death));
  else if (slot.note_open_failure() >= kSlotFailures && slots_.others_work(slot))
    slots_.retire(slot, message_of(death));
  else
    slot.pause(devices_.note_failed(slot.device(), message_of(death),
                                    /*final=*/said_why && !devices_.ever_opened(slot.device())));
}

void Reaper::settle_running(Slot& slot, const Life& over, const Death& death, uint32_t job, bool interrupted) {
  spdlog::warn("{}{}: {}", name_(job), devices_.on(over.device), message_of(death));
  log_last_words(*over.worker);
  const auto other_card = over.away ? std::nullopt : slots_.another_card(slot);
  const FailedTry failed{over.device, death, /*fresh=*/over.worker->received() == 0, other_card.has_value()};
  const bool again = !over.killed && (interrupted || retries_.again(job, failed));
  if (!again) {
    scheduler_.finish(job, outcome::skipped_outcome(name_(job), message_of(death), reason_of(death)));
  } else if (interrupted) {
    slot.reserve(job);
  } else if (slot.retired()) {
    spdlog::info("{} is tried once more", name_(job));
    scheduler_.requeue(job);
  } else {
    // A card that breaks what runs on it would break the second try as well.
    if (other_card) slot.lend(*other_card);
    spdlog::info("{} is tried once more in a fresh process{}", name_(job), devices_.on(slot.device()));
    slot.reserve(job);
  }
}

}  // namespace msprobe::pool
