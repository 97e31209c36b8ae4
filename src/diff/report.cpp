#include "diff/report.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace msprobe::diff {
namespace {

using outcome::Status;

std::string text_of_cell(const report::FigureCell& cell) {
  if (cell.kind == report::CellKind::kBlank) return "none";
  if (cell.kind == report::CellKind::kUnreadable) return "unreadable";
  return fmt::format("{:.6g}", cell.value);
}

int weight(Status status) {
  switch (status) {
    case Status::kError:
      return 3;
    case Status::kSkip:
      return 2;
    case Status::kWarning:
      return 1;
    default:
      return 0;
  }
}

auto key(const ChangedRow& row) {
  const double times = row.moved.empty() ? 0 : row.moved.front().times;
  return std::tuple(weight(row.after.status), row.after.assessment == outcome::Assessment::kSuspect, times);
}

}  // namespace

std::string_view text_of(Change change) {
  constexpr std::array<std::string_view, kChangeCount> kTexts = {"same",  "moved",       "changed",    "better",
                                                                 "worse", "only in OLD", "only in NEW"};
  return kTexts[static_cast<size_t>(change)];
}

std::string text_of(const Verdict& verdict) {
  if (verdict.status == Status::kBlank) return "none";
  std::string text(outcome::status_text(verdict.status));
  std::string_view more = outcome::rule_of(verdict.assessment).word;
  if (verdict.status == Status::kSkip) more = outcome::opening(verdict.reason);
  if (verdict.assessment != outcome::Assessment::kFine && !more.empty()) text.append(", ").append(more);
  return text;
}

std::string MovedFigure::text() const {
  const std::string_view name = outcome::kFigureColumns[static_cast<size_t>(figure)];
  std::string out = fmt::format("{} {} -> {}", name, text_of_cell(before), text_of_cell(after));
  if (std::isfinite(times)) out += fmt::format(" ({:.3g} times)", times);
  return out;
}

int64_t DiffReport::compared() const {
  int64_t all = 0;
  for (const int64_t count : outputs) all += count;
  return all - count(Change::kOnlyOld) - count(Change::kOnlyNew);
}

bool weighs_more(const ChangedRow& a, const ChangedRow& b) {
  const auto left = key(a), right = key(b);
  return left != right ? left > right : std::tie(a.place, a.name) < std::tie(b.place, b.name);
}

}  // namespace msprobe::diff
