// One direction of a call, judged; and what its rows have in common with the other's.
#pragma once
#include <string>
#include <vector>

#include "check/notes.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "dump/api_name.h"
#include "metrics/compare.h"
#include "outcome/row.h"

namespace msprobe::check {

struct Judged {
  outcome::Status status = outcome::Status::kSkip;
  std::vector<outcome::Row> rows;  ///< at least one
  Notes notes;
};

/// "<API>.forward.output.<i>", status SKIP, `message`.
outcome::Row make_row(const Rebuilt& rebuilt, dump::Direction direction, size_t i, std::string message = "");

metrics::CompareContext compare_context(const Session& session, const Rebuilt& rebuilt, dump::Direction direction);

/// What an operator leaves unwritten holds whatever was in memory: the rows of dimension 0 that it writes.
at::Tensor written_part(const Rebuilt& rebuilt, const at::Tensor& output);

}  // namespace msprobe::check
