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
  return {.profile = session.options.profile(),
          .standards = session.standards,
          .quantization_apis = session.options.quantization_apis,
          .api = config::ApiNames(r.name()),
          .backward = direction == dump::Direction::kBackward,
          .dropout = ops::is_dropout(r.name()),
          .float8_inputs = r.float8_inputs};
}

at::Tensor written_part(const Rebuilt& r, const at::Tensor& t) {
  return r.written && t.dim() > 0 && t.size(0) > r.written->rows ? t.narrow(0, 0, r.written->rows) : t;
}

}  // namespace msprobe::check
