// An API that is not judged.
#pragma once
#include <stdexcept>
#include <string>

#include "outcome/reason.h"

namespace msprobe::check {

/// Thrown by any step of the check, caught at the edge of the API (execute.h). what() is its Message.
struct Skip : std::runtime_error {
  explicit Skip(const std::string& message, outcome::Reason why = outcome::Reason::kSkipped)
      : std::runtime_error(message), reason(why) {}

  outcome::Reason reason;
};

}  // namespace msprobe::check
