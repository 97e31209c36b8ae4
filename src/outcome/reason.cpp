#include "outcome/reason.h"

namespace msprobe::outcome {

std::string message_of(Reason reason, std::string_view detail) {
  std::string text(opening(reason));
  if (!text.empty() && !detail.empty()) text += ": ";
  return text.append(detail);
}

Reason reason_of(std::string_view message) {
  for (const ReasonRule& rule : kReasons)
    if (!rule.opening.empty() && message.starts_with(rule.opening)) return rule.reason;
  return Reason::kSkipped;
}

}  // namespace msprobe::outcome
