#include "check/judged.h"

#include <string>
#include <utility>

#include "check/judged_gradients.h"
#include "check/judged_outputs.h"
#include "check/record_distance.h"
#include "check/second_opinion.h"
#include "ops/skip.h"

namespace msprobe::check {
namespace {

using outcome::ApiOutcome;

// MindStudio judges dropout but writes no details row for it; its api_precision_compare expects none.
bool rows_are_written(const Session& session, const Rebuilt& r) {
  return session.options.profile() == config::Profile::kDocumented || !ops::is_dropout(r.name());
}

// Heavier first: suspects by their severity, then what is not passed by its status.
bool weighs_more(const outcome::Row& a, const outcome::Row& b) {
  const auto suspect = [](const outcome::Row& row) { return row.assessed.word == outcome::Assessment::kSuspect; };
  if (suspect(a) != suspect(b)) return suspect(a);
  if (suspect(a) && a.assessed.severity != b.assessed.severity) return a.assessed.severity > b.assessed.severity;
  const auto rank = [](outcome::Status s) { return s == outcome::Status::kError ? 2 : s == outcome::Status::kWarning; };
  return rank(a.status) > rank(b.status);
}

// What decided; behind the name of an argument that the call changed.
std::string first_clauses(const outcome::Row& row) {
  constexpr std::string_view kBetween = "; ";
  size_t end = row.message.find(kBetween);
  if (row.message.starts_with("argument ") && end != std::string::npos)
    end = row.message.find(kBetween, end + kBetween.size());
  return row.message.substr(0, end);
}

// "backward.output.1: 双千指标 0.95 <= 0.999; suspect: ..." of the output that decided; empty: all passed unsuspected.
std::string deciding_output(const ApiOutcome& outcome) {
  if (outcome.rows.empty()) return "";
  const outcome::Row* worst = outcome.rows.data();
  for (const outcome::Row& row : outcome.rows)
    if (weighs_more(row, *worst)) worst = &row;
  const bool bad = worst->status == outcome::Status::kError || worst->status == outcome::Status::kWarning;
  if (!bad && worst->assessed.word != outcome::Assessment::kSuspect) return "";
  std::string text = worst->name.substr(outcome.api.size() + 1) + ": ";
  text += first_clauses(*worst);
  if (text.find(worst->assessed.clause) == std::string::npos) text += "; " + worst->assessed.clause;
  return text;
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
  const SecondOpinion second(session, r, called);
  outcome.forward = add(judge_outputs(session, r, called, second));
  if (r.record.backward) outcome.backward = add(judge_gradients(session, r, called, second));
  RecordDistance distance = distance_from_record(session, r, called);
  outcome.recorded_ulp = distance.ulp;
  add_notes(outcome.message, distance.notes);
  if (session.options.assess) add_note(outcome.message, deciding_output(outcome));
  return outcome;
}

}  // namespace msprobe::check
