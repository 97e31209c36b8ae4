// Counts of a run: by verdict and direction, and by API.
#pragma once
#include <array>
#include <cstdint>

#include "metrics/row.h"

namespace msprobe::report {

/// Verdict of an API both ways: error before warning before pass; SKIP when neither way was judged.
constexpr metrics::Status overall(const metrics::ApiOutcome& outcome) {
  for (const metrics::Status status : {metrics::Status::kError, metrics::Status::kWarning, metrics::Status::kPass})
    if (outcome.forward == status || outcome.backward == status) return status;
  return metrics::Status::kSkip;
}

struct Tally {
  static constexpr size_t kStatuses = 5;
  std::array<int64_t, kStatuses> forward{}, backward{}, apis{};
  int64_t total = 0;
  int64_t recorded_identical = 0, recorded_differing = 0;  ///< replayed device outputs against the recorded ones

  void add(const metrics::ApiOutcome& outcome) {
    ++forward[static_cast<size_t>(outcome.forward)];
    ++backward[static_cast<size_t>(outcome.backward)];
    ++apis[static_cast<size_t>(overall(outcome))];
    ++total;
    if (outcome.recorded_ulp) ++(*outcome.recorded_ulp == 0 ? recorded_identical : recorded_differing);
  }
  int64_t of(metrics::Status status) const { return apis[static_cast<size_t>(status)]; }
};

}  // namespace msprobe::report
