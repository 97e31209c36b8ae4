// Counts of a run: by verdict and direction, and by API.
#pragma once
#include <array>
#include <cstdint>

#include "outcome/row.h"
#include "report/assessment_tally.h"

namespace msprobe::report {

/// Verdict of an API both ways: error before warning before pass; SKIP when neither way was judged.
constexpr outcome::Status overall(const outcome::ApiOutcome& outcome) {
  for (const outcome::Status status : {outcome::Status::kError, outcome::Status::kWarning, outcome::Status::kPass})
    if (outcome.forward == status || outcome.backward == status) return status;
  return outcome::Status::kSkip;
}

struct Tally {
  static constexpr size_t kStatuses = 5;
  std::array<int64_t, kStatuses> forward{}, backward{}, apis{};
  AssessmentTally assessments;  ///< of outputs
  int64_t total = 0;
  int64_t suspects = 0;                                    ///< APIs that passed with a suspect output
  int64_t recorded_identical = 0, recorded_differing = 0;  ///< replayed device outputs against the recorded ones

  void add(const outcome::ApiOutcome& outcome) {
    ++forward[static_cast<size_t>(outcome.forward)];
    ++backward[static_cast<size_t>(outcome.backward)];
    ++apis[static_cast<size_t>(overall(outcome))];
    ++total;
    bool suspect = false;
    for (const outcome::Row& row : outcome.rows) {
      assessments.add(row.status, row.assessed.word);
      suspect |= row.assessed.word == outcome::Assessment::kSuspect;
    }
    suspects += suspect && overall(outcome) == outcome::Status::kPass;
    if (outcome.recorded_ulp) ++(*outcome.recorded_ulp == 0 ? recorded_identical : recorded_differing);
  }
  int64_t of(outcome::Status status) const { return apis[static_cast<size_t>(status)]; }
};

}  // namespace msprobe::report
