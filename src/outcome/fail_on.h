// --fail-on: what a script is to stop for (docs/user-guide.md#exit-codes).
#pragma once
#include <string_view>

#include "outcome/row.h"

namespace msprobe::outcome {

/// Which statuses and assessments occur in what was judged.
class Seen {
 public:
  constexpr void add(Status status) {
    compared_ |= status == Status::kPass || status == Status::kWarning || status == Status::kError;
    warning_ |= status == Status::kWarning;
    error_ |= status == Status::kError;
    skip_ |= status == Status::kSkip;
  }
  constexpr void add(Assessment assessment) { suspect_ |= assessment == Assessment::kSuspect; }
  /// True when something is `level` ("error", "warning", "skip") or worse, or nothing was compared at all: that has
  /// shown nothing. "suspect": when something is a suspect, whatever its status; errors that are explained are none.
  constexpr bool fails_on(std::string_view level) const {
    if (!compared_) return true;
    if (level == "suspect") return suspect_;
    if (error_) return true;
    return (level != "error" && warning_) || (level == "skip" && skip_);
  }

 private:
  bool compared_ = false, warning_ = false, error_ = false, skip_ = false, suspect_ = false;
};

}  // namespace msprobe::outcome
