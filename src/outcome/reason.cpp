#include "outcome/reason.h"

namespace msprobe::outcome {

std::string_view opening(Reason reason) {
  switch (reason) {
    case Reason::kOutOfMemory:
      return "out of memory";
    case Reason::kOutOfDeviceMemory:
      return "out of device memory";
    case Reason::kDeviceLost:
      return "device lost";
    case Reason::kCrashed:
      return "crashed";
    case Reason::kTimedOut:
      return "timed out";
    case Reason::kNone:
    case Reason::kSkipped:
      break;
  }
  return {};
}

std::string message_of(Reason reason, std::string_view detail) {
  std::string text(opening(reason));
  if (!text.empty() && !detail.empty()) text += ": ";
  return text.append(detail);
}

Reason reason_of(std::string_view message) {
  for (uint8_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (const std::string_view words = opening(reason); !words.empty() && message.starts_with(words)) return reason;
  }
  return Reason::kSkipped;
}

}  // namespace msprobe::outcome
