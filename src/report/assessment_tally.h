// Counts of outputs by assessment, and the line of a summary that tells them.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "outcome/row.h"

namespace msprobe::report {

class AssessmentTally {
 public:
  /// An output with its verdict; SKIP and blank ones do not count.
  constexpr void add(outcome::Status status, outcome::Assessment assessment) {
    const auto at = static_cast<size_t>(assessment);
    if (status == outcome::Status::kPass)
      ++passed_[at];
    else if (status == outcome::Status::kWarning || status == outcome::Status::kError)
      ++not_passed_[at];
  }
  constexpr int64_t passed(outcome::Assessment assessment) const { return passed_[static_cast<size_t>(assessment)]; }
  /// Warnings and errors.
  constexpr int64_t not_passed(outcome::Assessment assessment) const {
    return not_passed_[static_cast<size_t>(assessment)];
  }

  /// `not passed 49: 45 rounding, 2 arithmetic, 2 suspect; passed but suspect 1`, without a line break. Words and parts
  /// that count nothing are left out; empty where all passed without a suspect, and where nothing was assessed.
  std::string line() const;

 private:
  std::array<int64_t, outcome::kAssessmentCount> passed_{}, not_passed_{};
};

}  // namespace msprobe::report
