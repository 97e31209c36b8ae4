// The outcome of an API that was not compared: SKIP both ways and one details row, as for any other skip.
#pragma once
#include <string>
#include <utility>

#include "outcome/row.h"

namespace msprobe::outcome {

/// `message`: for both files; begins with opening(reason).
inline ApiOutcome skipped_outcome(std::string api, const std::string& message, Reason reason = Reason::kSkipped) {
  ApiOutcome outcome;
  Row row;
  row.name = api + ".forward.output.0";
  row.message = message;
  outcome.api = std::move(api);
  outcome.forward = outcome.backward = Status::kSkip;
  outcome.reason = reason;
  outcome.message = message;
  outcome.rows.push_back(std::move(row));
  return outcome;
}

}  // namespace msprobe::outcome
