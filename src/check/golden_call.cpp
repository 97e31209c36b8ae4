#include "check/golden_call.h"

#include <utility>

#include "check/dtype_defaults.h"
#include "check/in_float64.h"
#include "check/positions.h"

namespace msprobe::check {

GoldenCall golden_call(const Session& session, const Rebuilt& r, const ops::Candidate& way, bool with_dtype,
                       Rounded rounded) {
  return {by_positions(session, r, golden_in_float64(session, r, way)), with_dtype, std::move(rounded), !r.not_raised};
}

Side prepare(const Session& session, const Rebuilt& r, const GoldenCall& call, Notes& notes) {
  Side side = prepare_golden(session, r, call.with_dtype, call.raised, call.rounded);
  if (!call.raised) return side;
  Filled filled = fill_dtype_defaults(session, r, std::move(side.arguments));
  notes.push_back(std::move(filled.note));
  side.arguments = in_float64(session, r, std::move(filled.arguments));
  return side;
}

}  // namespace msprobe::check
