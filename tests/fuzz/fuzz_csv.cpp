// A details or result file: the table, the NPU's and the GPU's side of api_precision_compare, and the plan of a resumed
// run. Bytes behind a line "~~~~" are the second file of that plan.
#include "compare/details.h"
#include "compare/row_name.h"
#include "report/csv_reader.h"
#include "report/resume_plan.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const fuzz::InputFile file(bytes);
  // The parser's buffer of 48 MB is what takes the time: one of the readers for each input.
  if (size % 3 == 0)
    fuzz::accepts([&] {
      const report::Table table = report::read_table(file.path(), {});
      for (const report::TableRow row : table.rows) {
        size_t text = 0;
        for (size_t i = 0; i < row.size(); ++i) {
          const std::string_view cell = row[static_cast<int>(i)];
          text += cell.size();
          compare::read_figure(cell);
          compare::split_row_name(cell, config::Profile::kDocumented);
          compare::split_row_name(cell, config::Profile::kMindstudio);
        }
        fuzz::require(text <= 3 * size && row.line() >= 1, "more text than the file has");
      }
    });
  if (size % 3 == 1) fuzz::accepts([&] { compare::read_npu_details(file.path()); });
  if (size % 3 == 2) {
    const auto profile = size % 2 ? config::Profile::kDocumented : config::Profile::kMindstudio;
    fuzz::accepts([&] { compare::read_gpu_details(file.path(), profile); });
  }

  const size_t cut = bytes.find("\n~~~~\n");
  const std::string_view result = bytes.substr(0, cut == bytes.npos ? size : cut + 1),
                         details = cut == bytes.npos ? std::string_view() : bytes.substr(cut + 6);
  fuzz::accepts([&] {
    const report::ResumePlan plan =
        report::plan_resume(result, "result", details, "details", std::nullopt, report::kAnyPrecision);
    fuzz::require(plan.result_keep <= result.size() && plan.details_keep <= details.size(), "more kept than there is");
  });
  report::parse_seal(bytes);
  report::split_row(bytes);
  report::api_of_row(bytes);
  return 0;
}
