#include "check/judged_rows.h"

#include <ATen/ATen.h>

#include <utility>

#include "metrics/assess.h"

namespace msprobe::check {

outcome::Row make_row(const Rebuilt& r, dump::Direction direction, size_t i, std::string message) {
  outcome::Row row;
  row.name = r.name().full + (direction == dump::Direction::kForward ? ".forward." : ".backward.") + "output." +
             std::to_string(i);
  row.message = std::move(message);
  return row;
}

metrics::CompareContext compare_context(const Session& session, const Rebuilt& r, dump::Direction direction) {
  return {.profile = session.options.profile(),
          .standards = session.standards,
          .quantization_apis = session.options.quantization_apis,
          .api = config::ApiNames(r.name()),
          .backward = direction == dump::Direction::kBackward,
          .dropout = r.dropout,
          .float8_inputs = r.float8_inputs,
          .assess = session.options.assess};
}

void fail(const Session& session, outcome::Row& row, std::string message, const char* what) {
  row.status = outcome::Status::kError;
  row.message = std::move(message);
  if (session.options.assess) metrics::assess_kind(what, row);
}

bool may_have_jumped(const outcome::Row& row) {
  return row.status == outcome::Status::kError || row.status == outcome::Status::kWarning ||
         row.assessed.word == outcome::Assessment::kSuspect;
}

void tell_assessment(outcome::Row& row) {
  add_note(row.message, row.assessed.clause);
}

at::Tensor written_part(const Rebuilt& r, const at::Tensor& t) {
  return r.written && t.dim() > 0 && t.size(0) > r.written->rows ? t.narrow(0, 0, r.written->rows) : t;
}

}  // namespace msprobe::check
