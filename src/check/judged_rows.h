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

/// Makes `row` an error in kind; `what`: as the assessment calls it.
void fail(const Session& session, outcome::Row& row, std::string message, const char* what);

/// Is it worth to ask whether the sides are on two sides of a jump (jumps.h)?
bool may_have_jumped(const outcome::Row& row);

/// Puts the assessment's clause behind everything else that the Message says.
void tell_assessment(outcome::Row& row);

/// What an operator leaves unwritten holds whatever was in memory: the rows of dimension 0 that it writes.
at::Tensor written_part(const Rebuilt& rebuilt, const at::Tensor& output);

}  // namespace msprobe::check
