#include "run/fail_on.h"

#include "outcome/fail_on.h"
#include "report/csv_reader.h"

namespace msprobe::run {
namespace {

using outcome::Assessment;
using outcome::Status;

/// Whether one of the clauses of a Message tells of a suspect: it may name several outputs.
bool tells_of_a_suspect(std::string_view message) {
  const std::string opening(outcome::rule_of(Assessment::kSuspect).opening);
  return message.starts_with(opening) || message.find("; " + opening) != std::string_view::npos;
}

}  // namespace

Result judged(const std::string& result_csv, const std::string& fail_on) {
  if (fail_on.empty()) return Result::kDone;
  const report::Table table = report::read_table(result_csv, {"Forward Test Success", "Backward Test Success"});
  const int columns[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  const int message = table.column("Message");
  outcome::Seen seen;
  for (const auto& row : table.rows) {
    bool compared = false;
    for (int column : columns)
      for (const Status status : {Status::kPass, Status::kWarning, Status::kError, Status::kSkip}) {
        if (row[column] != outcome::status_text(status)) continue;
        seen.add(status);
        compared |= status != Status::kSkip;
      }
    if (compared && tells_of_a_suspect(row[message])) seen.add(Assessment::kSuspect);
  }
  return seen.fails_on(fail_on) ? Result::kFailed : Result::kDone;
}

}  // namespace msprobe::run
