#include "run/fail_on.h"

#include <string_view>

#include "report/csv_reader.h"

namespace msprobe::run {

Result judged(const std::string& result_csv, const std::string& fail_on) {
  if (fail_on.empty()) return Result::kDone;
  const report::Table table = report::read_table(result_csv, {"Forward Test Success", "Backward Test Success"});
  const int columns[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  bool any = false, compared = false;
  for (const auto& row : table.rows) {
    for (int column : columns) {
      const std::string_view status = row[column];
      compared |= status == "pass" || status == "warning" || status == "error";
      any |=
          status == "error" || (fail_on != "error" && status == "warning") || (fail_on == "skip" && status == "SKIP");
    }
  }
  return any || !compared ? Result::kFailed : Result::kDone;
}

}  // namespace msprobe::run
