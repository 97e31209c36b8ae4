#include "report/assessment_tally.h"

#include <fmt/format.h>

#include <string_view>

namespace msprobe::report {
namespace {

using outcome::Assessment;

/// What is explained first, what is not last.
constexpr std::array<Assessment, outcome::kAssessmentCount> kOrder = {
    Assessment::kRounding, Assessment::kArithmetic, Assessment::kCancellation, Assessment::kAsTheGpu,
    Assessment::kFine,     Assessment::kUnproven,   Assessment::kSuspect,      Assessment::kNone};

std::string_view word_of(Assessment assessment) {
  return assessment == Assessment::kNone ? "not assessed" : outcome::rule_of(assessment).word;
}

}  // namespace

std::string AssessmentTally::line() const {
  int64_t all = 0;
  std::string words;
  for (const Assessment assessment : kOrder) {
    const int64_t count = not_passed(assessment);
    if (count == 0) continue;
    all += count;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, word_of(assessment));
  }
  std::string line;
  if (all > not_passed(Assessment::kNone)) line = fmt::format("not passed {}: {}", all, words);
  if (const int64_t count = passed(Assessment::kSuspect); count > 0)
    line += fmt::format("{}passed but suspect {}", line.empty() ? "" : "; ", count);
  return line;
}

}  // namespace msprobe::report
