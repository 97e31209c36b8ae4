#include "diff/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "util/count_of.h"
#include "util/one_line.h"
#include "util/style.h"
#include "util/text_table.h"
#include "util/utf8.h"

namespace msprobe::diff {
namespace {

using util::Align;

constexpr size_t kMostShown = 10;

std::string counts(const Counts& counts) {
  std::string line;
  for (const Change change : {Change::kBetter, Change::kWorse, Change::kMoved, Change::kChanged, Change::kSame,
                              Change::kOnlyOld, Change::kOnlyNew}) {
    const int64_t count = counts[static_cast<size_t>(change)];
    const bool always = change == Change::kBetter || change == Change::kWorse || change == Change::kSame;
    if (count > 0 || always) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", text_of(change), count);
  }
  return line;
}

std::string shown_name(const ChangedRow& row) {
  return row.place.empty() ? row.name : row.place + " " + row.name;
}

std::string verdicts(const ChangedRow& row) {
  if (row.change == Change::kOnlyOld) return text_of(row.before);
  if (row.change == Change::kOnlyNew) return text_of(row.after);
  if (row.before == row.after) return text_of(row.after);
  return text_of(row.before) + " -> " + text_of(row.after);
}

std::string figures(const ChangedRow& row) {
  if (row.moved.empty()) return row.change == Change::kWorse || row.change == Change::kChanged ? row.message : "";
  std::string text = row.moved.front().text();
  if (row.moved.size() > 1) text += fmt::format(", {} more", row.moved.size() - 1);
  return text;
}

/// Names and figures share what the verdicts leave of a line; neither is cut where the other leaves room.
struct Widths {
  size_t name, figures;
};
Widths widths_of(const std::vector<ChangedRow>& rows, size_t shown, size_t width) {
  constexpr size_t kBetween = 6;  // two blanks before each column
  constexpr size_t kLeastName = 24, kLeastFigures = 12;
  size_t name = 0, verdict = 0, figure = 0;
  for (size_t i = 0; i < shown; ++i) {
    name = std::max(name, util::display_width(shown_name(rows[i])));
    verdict = std::max(verdict, util::display_width(verdicts(rows[i])));
    figure = std::max(figure, util::display_width(figures(rows[i])));
  }
  const size_t room = width > verdict + kBetween ? width - verdict - kBetween : 0;
  const size_t cut = std::max(kLeastName, room - std::min(figure, room / 2));
  name = std::min(name, cut);
  return {name, std::max(kLeastFigures, room - std::min(room, name))};
}

std::string table_of(const std::vector<ChangedRow>& rows, size_t shown, std::string_view colour,
                     const util::Style& style, size_t width) {
  const Widths widths = widths_of(rows, shown, width);
  util::TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  for (size_t i = 0; i < shown; ++i)
    table.add({util::fit_width_middle(shown_name(rows[i]), widths.name), verdicts(rows[i]),
               util::fit_width(util::one_line(figures(rows[i])), widths.figures)},
              std::string(colour), colour.empty() ? "" : std::string(style.reset()));
  return table.render("  ");
}

std::string section(std::string_view title, const DiffReport& report, Change change, std::string_view colour,
                    const util::Style& style, size_t width) {
  const auto& rows = report.rows[static_cast<size_t>(change)];
  if (rows.empty()) return "";
  const size_t shown = std::min(rows.size(), kMostShown);
  std::string out = fmt::format("\n{}{}{}\n", style.bold(), title, style.reset());
  out += table_of(rows, shown, colour, style, width);
  const int64_t more = report.count(change) - static_cast<int64_t>(shown);
  if (more > 0)
    out += fmt::format("  ... and {} more{}\n", more, report.csv_path.empty() ? ": -o DIR writes all of them" : "");
  return out;
}

void add_missing_places(std::string& out, const std::vector<std::string>& places, std::string_view side) {
  if (!places.empty()) out += fmt::format("only in {}: {}\n", side, fmt::join(places, ", "));
}

}  // namespace

std::string summary(const DiffReport& report, bool brief, bool coloured, size_t width) {
  const util::Style style(coloured);
  std::string out;
  if (report.pairs.size() > 1) out += fmt::format("ranks    {}\n", report.pairs.size());
  out += fmt::format("APIs     {}\noutputs  {}\n", counts(report.apis), counts(report.outputs));
  add_missing_places(out, report.places_only_old, "OLD");
  add_missing_places(out, report.places_only_new, "NEW");
  if (report.compared() == 0)
    out += fmt::format("\n{}Nothing was compared: no output stands in both.{}\n", style.bold(), style.reset());
  if (!brief) {
    out += section("Worse", report, Change::kWorse, style.red(), style, width);
    out += section("Figures that moved", report, Change::kMoved, style.yellow(), style, width);
    out += section("Changed", report, Change::kChanged, "", style, width);
    out += section("Better", report, Change::kBetter, style.green(), style, width);
    out += section("Only in OLD", report, Change::kOnlyOld, "", style, width);
    out += section("Only in NEW", report, Change::kOnlyNew, "", style, width);
  }
  if (!report.csv_path.empty()) out += fmt::format("\nChanges  {}\n", util::one_line(report.csv_path));
  return out;
}

std::vector<std::string> warnings(const DiffReport& report) {
  std::vector<std::string> lines;
  for (const PairOfResults& pair : report.pairs) {
    const std::string where = pair.place.empty() ? "" : pair.place + ": ";
    if (!pair.differences.empty()) {
      std::vector<std::string> texts;
      for (const report::OptionDifference& difference : pair.differences) texts.push_back(difference.text());
      lines.push_back(fmt::format("{}the two runs had other options, so that rows may differ for that alone: {}", where,
                                  fmt::join(texts, ", ")));
    }
    if (pair.old_assessed != pair.new_assessed)
      lines.push_back(fmt::format("{}{} holds no assessments: suspects are not compared", where,
                                  pair.old_assessed ? pair.new_path : pair.old_path));
  }
  return lines;
}

}  // namespace msprobe::diff
