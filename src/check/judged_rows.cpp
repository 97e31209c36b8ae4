#include "check/judged_rows.h"

#include <ATen/ATen.h>

#include "ops/skip.h"

namespace msprobe::check {

outcome::Row make_row(const Rebuilt& r, dump::Direction direction, size_t i, std::string message) {
  outcome::Row row;
  row.name = r.name().full + (direction == dump::Direction::kForward ? ".forward." : ".backward.") + "output." +
             std::to_string(i);
  row.message = std::move(message);
  return row;
}

metrics::CompareContext compare_context(const Session& session, const Rebuilt& r, dump::Direction direction) {
  return {session.settings,
          session.standards,
          r.name().type,
          r.name().name,
          direction == dump::Direction::kBackward,
          ops::is_dropout(r.name()),
          r.float8_inputs};
}

at::Tensor written_part(const Rebuilt& r, const at::Tensor& t) {
  return r.written && t.dim() > 0 && t.size(0) > r.written->rows ? t.narrow(0, 0, r.written->rows) : t;
}

}  // namespace msprobe::check
