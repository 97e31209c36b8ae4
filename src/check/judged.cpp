#include "check/judged.h"

#include <utility>

#include "check/judged_gradients.h"
#include "check/judged_outputs.h"
#include "check/record_distance.h"
#include "ops/skip.h"

namespace msprobe::check {
namespace {

using outcome::ApiOutcome;

// MindStudio judges dropout but writes no details row for it; its api_precision_compare expects none.
bool rows_are_written(const Session& session, const Rebuilt& r) {
  return session.options.profile() == config::Profile::kDocumented || !ops::is_dropout(r.name());
}

}  // namespace

ApiOutcome judge(const Session& session, const Rebuilt& r, const Called& called) {
  ApiOutcome outcome;
  outcome.api = r.name().full;
  for (const Notes* notes : {&r.notes, &called.notes, &called.gradients.notes}) add_notes(outcome.message, *notes);
  const auto add = [&](Judged part) {
    add_notes(outcome.message, part.notes);
    if (rows_are_written(session, r))
      for (auto& row : part.rows) outcome.rows.push_back(std::move(row));
    return part.status;
  };
  outcome.forward = add(judge_outputs(session, r, called));
  if (r.record.backward) outcome.backward = add(judge_gradients(session, r, called));
  RecordDistance distance = distance_from_record(session, r, called);
  outcome.recorded_ulp = distance.ulp;
  add_notes(outcome.message, distance.notes);
  return outcome;
}

}  // namespace msprobe::check
