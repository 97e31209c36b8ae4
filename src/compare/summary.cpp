#include <fmt/format.h>

#include <algorithm>

#include "compare/compare.h"
#include "util/one_line.h"
#include "util/style.h"
#include "util/text_table.h"
#include "util/utf8.h"

namespace msprobe::compare {
namespace {

using outcome::Status;
using util::Align;

constexpr size_t kLongestName = 64;

void add_counts(util::TextTable& table, const char* name, const std::array<int64_t, report::Tally::kStatuses>& counts,
                const util::Style& style) {
  std::vector<std::string> cells = {name};
  for (const int64_t count : counts) cells.push_back(std::to_string(count));
  const bool bad = counts[static_cast<size_t>(Status::kError)] > 0;
  table.add(std::move(cells), std::string(bad ? style.red() : ""), std::string(bad ? style.reset() : ""));
}

std::string counts(const CompareReport& report, const util::Style& style) {
  util::TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.add({"", "pass", "warning", "error", "SKIP", "none"}, std::string(style.bold()), std::string(style.reset()));
  add_counts(table, "forward", report.apis.forward, style);
  add_counts(table, "backward", report.apis.backward, style);
  add_counts(table, "outputs", report.rows, style);
  return table.render();
}

std::string heading(std::string_view text, const util::Style& style) {
  return fmt::format("\n{}{}{}\n", style.bold(), text, style.reset());
}

std::string failing(const CompareReport& report, const util::Style& style, size_t width) {
  if (report.failing.empty()) return "";
  const bool assessed = report.failing.front().assessment != outcome::Assessment::kNone;
  util::TextTable table(std::vector<Align>(assessed ? 4 : 3, Align::kLeft));
  for (const FailingApi& api : report.failing) {
    std::string reasons = util::fit_width(api.reasons, std::max<size_t>(width, 80) / 2);
    if (api.others > 0) reasons += fmt::format(" (and {} more output{})", api.others, api.others == 1 ? "" : "s");
    std::vector<std::string> cells = {util::fit_width_middle(api.output, kLongestName), api.dtype};
    if (assessed) cells.emplace_back(outcome::rule_of(api.assessment).word);
    cells.push_back(std::move(reasons));
    table.add(std::move(cells), std::string(style.red()), std::string(style.reset()));
  }
  std::string out = heading("Failing APIs", style) + table.render("  ");
  const int64_t more = report.failing_apis - static_cast<int64_t>(report.failing.size());
  if (more > 0) out += fmt::format("  ... and {} more in the results\n", more);
  return out;
}

std::string suspects(const CompareReport& report, const util::Style& style, size_t width) {
  if (report.suspects.empty()) return "";
  util::TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  for (const FailingApi& api : report.suspects)
    table.add({util::fit_width_middle(api.output, kLongestName), api.dtype,
               util::fit_width(api.reasons, std::max<size_t>(width, 80) / 2)},
              std::string(style.yellow()), std::string(style.reset()));
  std::string out = heading("Passed but suspect", style) + table.render("  ");
  const int64_t more =
      report.assessments.passed(outcome::Assessment::kSuspect) - static_cast<int64_t>(report.suspects.size());
  if (more > 0) out += fmt::format("  ... and {} more in the details\n", more);
  return out;
}

std::string skipped(const CompareReport& report, const util::Style& style) {
  if (report.skipped.empty()) return "";
  util::TextTable table({Align::kRight, Align::kLeft});
  for (const auto& [reason, count] : report.skipped) table.add({std::to_string(count), reason});
  return heading("Outputs skipped because", style) + table.render("  ");
}

}  // namespace

std::string summary(const CompareReport& report, bool brief, bool coloured, size_t width) {
  const util::Style style(coloured);
  std::string out = counts(report, style);
  if (const std::string line = report.assessments.line(); !line.empty()) out += line + "\n";
  if (!brief) {
    out += failing(report, style, width);
    out += suspects(report, style, width);
    out += skipped(report, style);
    if (report.missing_in_npu > 0)
      out += fmt::format("\n{} stand{} in the GPU's file alone and {} left out.\n",
                         report.missing_in_npu == 1 ? "1 output" : fmt::format("{} outputs", report.missing_in_npu),
                         report.missing_in_npu == 1 ? "s" : "", report.missing_in_npu == 1 ? "was" : "were");
  }
  const int64_t judged = report.rows[static_cast<size_t>(Status::kPass)] +
                         report.rows[static_cast<size_t>(Status::kWarning)] +
                         report.rows[static_cast<size_t>(Status::kError)];
  if (judged == 0)
    out += fmt::format("\n{}Nothing was judged{}{}\n", style.bold(),
                       report.apis.total == 0   ? fmt::format(": {} holds no rows.", util::one_line(report.npu_csv))
                       : report.apis.total == 1 ? ": the only API was skipped."
                                                : fmt::format(": all {} APIs were skipped.", report.apis.total),
                       style.reset());
  out += fmt::format("\nResults  {}\nDetails  {}\n", util::one_line(report.result_path),
                     util::one_line(report.details_path));
  return out;
}

}  // namespace msprobe::compare
