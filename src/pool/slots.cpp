#include "pool/slots.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace msprobe::pool {

Slots::Slots(const std::vector<Place>& places, const Limits& limits, Scheduler& scheduler, Devices& devices)
    : scheduler_(scheduler), devices_(devices) {
  for (const auto& place : places) slots_.emplace_back(place, limits);
}

bool Slots::busy() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return !slot.vacant() && !slot.worker()->assigned().empty(); });
}

bool Slots::all_gone() const {
  return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.retired() && slot.vacant(); });
}

bool Slots::others_work(const Slot& slot) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& other) { return &other != &slot && other.works(); });
}

bool Slots::requeue_unbegun(Slot& slot) {
  const auto jobs = slot.worker()->take_back();
  for (uint32_t job : jobs) scheduler_.requeue(job);
  return !jobs.empty();
}

void Slots::requeue_reserved(Slot& slot) {
  if (const auto job = slot.drop_reserved()) scheduler_.requeue(*job);
}

void Slots::drain(Slot& slot) {
  if (slot.vacant() || slot.announced()) return;
  requeue_unbegun(slot);
  if (slot.worker()->assigned().empty()) slot.dismiss();
}

void Slots::retire(Slot& slot, const std::string& why) {
  slot.retire();
  spdlog::warn("one worker less on device {}: {}", slot.device(), why);
}

std::optional<Place> Slots::another_card(const Slot& slot) const {
  for (const auto& other : slots_)
    if (!other.retired() && other.card() != slot.device() && devices_.usable(other.card())) return Place{other.card()};
  return std::nullopt;
}

void Slots::give_up(int card) {
  const bool last = std::none_of(slots_.begin(), slots_.end(),
                                 [&](const Slot& slot) { return !slot.retired() && slot.card() != card; });
  if (last || !devices_.give_up(card)) return;
  spdlog::warn("device {} gets no further work: {} APIs in a row crashed on it and not on another", card,
               kMaxDeviceFailures);
  for (auto& slot : slots_) {
    if (slot.card() == card) {
      slot.retire();
      requeue_reserved(slot);
    } else if (slot.device() == card && slot.vacant()) {
      slot.recall();
    }
    if (slot.device() == card) drain(slot);
  }
}

}  // namespace msprobe::pool
