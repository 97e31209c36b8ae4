#include "outcome/row.h"

namespace msprobe::outcome {

Status combine(const std::vector<Row>& rows) {
  bool error = false, warning = false, pass = false, skip = false;
  for (const Row& row : rows) {
    error |= row.status == Status::kError;
    warning |= row.status == Status::kWarning;
    pass |= row.status == Status::kPass;
    skip |= row.status == Status::kSkip;
  }
  if (error) return Status::kError;
  if (warning) return Status::kWarning;
  if (pass) return Status::kPass;
  return skip ? Status::kSkip : Status::kBlank;
}

}  // namespace msprobe::outcome
