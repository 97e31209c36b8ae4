#include "run/fail_on.h"

#include "outcome/fail_on.h"
#include "report/csv_reader.h"

namespace msprobe::run {

using outcome::Status;

Result judged(const std::string& result_csv, const std::string& fail_on) {
  if (fail_on.empty()) return Result::kDone;
  const report::Table table = report::read_table(result_csv, {"Forward Test Success", "Backward Test Success"});
  const int columns[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  outcome::Seen seen;
  for (const auto& row : table.rows)
    for (int column : columns)
      for (const Status status : {Status::kPass, Status::kWarning, Status::kError, Status::kSkip})
        if (row[column] == outcome::status_text(status)) seen.add(status);
  return seen.fails_on(fail_on) ? Result::kFailed : Result::kDone;
}

}  // namespace msprobe::run
