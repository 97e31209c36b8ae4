#include "outcome/assessment.h"

#include "outcome/row.h"

namespace msprobe::outcome {
namespace {

// Clauses may be told by foreign texts too (an operator's error), so only one that opens exactly so counts, and the
// last one: the assessment is written behind what others said.
const AssessmentRule* rule_of_clause(std::string_view clause) {
  for (const AssessmentRule& rule : kAssessments)
    if (!rule.opening.empty() && clause.starts_with(rule.opening)) return &rule;
  return nullptr;
}

}  // namespace

Assessment assessment_of(Status status, std::string_view message) {
  if (status == Status::kSkip || status == Status::kBlank) return Assessment::kNone;
  constexpr std::string_view kBetween = "; ";
  for (std::string_view rest = message;;) {
    const size_t between = rest.rfind(kBetween);
    const std::string_view clause = between == std::string_view::npos ? rest : rest.substr(between + kBetween.size());
    if (const AssessmentRule* rule = rule_of_clause(clause)) return rule->assessment;
    if (between == std::string_view::npos) break;
    rest = rest.substr(0, between);
  }
  return status == Status::kPass ? Assessment::kFine : Assessment::kNone;
}

}  // namespace msprobe::outcome
