#include "pool/dispatcher.h"

#include "util/error.h"

namespace msprobe::pool {
namespace {

constexpr size_t kAheadShared = 16;      // jobs given to one of several workers, while their estimated time is below
constexpr double kAheadSeconds = 0.002;  // this: others must not wait for what stands behind a long job
constexpr size_t kAheadAlways = 2;       // whatever they take: a worker would be idle from one long job to the next

size_t jobs_of(const Slot& slot) {
  return slot.vacant() ? 0 : slot.worker()->assigned().size();
}

}  // namespace

void Dispatcher::feed(Slot& slot) {
  if (!slot.takes_work()) return;
  double queued = 0;
  if (!slot.vacant())
    for (uint32_t job : slot.worker()->assigned()) queued += scheduler_.cost(job);
  while (wants_more(slot)) {
    const auto job = next_job(slot);
    if (!job) return;
    const double cost = scheduler_.cost(*job);
    if (slots_.several() && jobs_of(slot) >= kAheadAlways && queued + cost > kAheadSeconds) {
      scheduler_.requeue(*job);
      return;
    }
    if (slot.vacant() && !spawn_for(*job, slot)) return;
    slot.worker()->put(*job);
    queued += cost;
  }
}

bool Dispatcher::wants_more(const Slot& slot) const {
  const size_t jobs = jobs_of(slot);
  if (jobs == 0) return true;
  // A device may take long to open: its jobs are given when it is there.
  if (slot.away() || !slot.worker()->opened()) return false;
  return jobs < (slots_.several() ? kAheadShared : kAhead);
}

std::optional<uint32_t> Dispatcher::next_job(Slot& slot) {
  if (const auto reserved = slot.start_reserved()) return reserved;
  if (const auto job = scheduler_.next()) return job;
  // Nothing is left to give, but others may hold what they have not begun. One that is still opening its device could
  // not begin it either.
  if (!slot.works() || !slot.worker()->assigned().empty()) return std::nullopt;
  bool any = false;
  for (auto& other : slots_)
    if (&other != &slot && !other.vacant() && !other.proving()) any |= slots_.requeue_unbegun(other);
  return any ? scheduler_.next() : std::nullopt;
}

bool Dispatcher::spawn_for(uint32_t job, Slot& slot) {
  try {
    slot.spawn(system_);
    return true;
  } catch (const Error& e) {
    scheduler_.requeue(job);
    if (!slots_.others_work(slot)) throw;
    slots_.retire(slot, e.what());
    return false;
  }
}

}  // namespace msprobe::pool
