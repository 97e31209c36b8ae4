#include "pool/inbox.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace msprobe::pool {
namespace {

void log_lines(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) spdlog::info("{}", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace

int Inbox::receive(Slot& slot) {
  Worker& worker = *slot.worker();
  const bool connected = worker.receive();
  int frames = 0;
  for (; const auto frame = worker.next_frame(); ++frames) handle(slot, *frame);
  if (worker.broken()) slot.kill(Death{Death::Kind::kWroteIntoChannel});
  if (!connected) slot.note_hung_up();
  return frames;
}

void Inbox::handle(Slot& slot, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kReady:
      return handle_ready(slot, frame.payload);
    case FrameKind::kFailed:
      return handle_failed(slot, frame.payload);
    case FrameKind::kOutcome:
      break;
  }
  auto message = decode_outcome(frame.payload);
  if (!message || !slot.worker()->note_outcome(message->job))
    slot.kill(Death{Death::Kind::kWroteIntoChannel});
  else
    handle_outcome(slot, std::move(*message));
}

void Inbox::handle_ready(Slot& slot, std::string_view description) {
  slot.note_opened();
  if (devices_.note_opened(slot.device())) log_lines(description);
}

// The process ends by itself now.
void Inbox::handle_failed(Slot& slot, std::string_view why) {
  slots_.requeue_unbegun(slot);
  slot.note_leaving(std::string(why));
}

void Inbox::handle_outcome(Slot& slot, OutcomeMessage message) {
  outcome::ApiOutcome& outcome = message.outcome;
  outcome.api = name_(message.job);
  slot.note_outcome();
  if (message.leaving) {
    // The rest of its queue goes to the next process.
    slots_.requeue_unbegun(slot);
    slot.note_leaving();
    spdlog::debug("{}{}: {}; its process is replaced", outcome.api, devices_.on(slot.device()), outcome.message);
  }
  const bool device_lost = message.leaving && outcome.reason != outcome::Reason::kOutOfMemory;
  if (device_lost && slot.worker()->received() == 1)
    slot.pause(devices_.note_failed(slot.device(), outcome.api + ": " + outcome.message, /*final=*/false));
  else
    devices_.note_works(slot.device());
  const auto bad_card = retries_.done(message.job, slot.device(), outcome, kMaxDeviceFailures);
  if (bad_card) slots_.give_up(*bad_card);
  scheduler_.finish(message.job, std::move(outcome));
  if (slot.away() || slot.retired()) slots_.drain(slot);
}

}  // namespace msprobe::pool
