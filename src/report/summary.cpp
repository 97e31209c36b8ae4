#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "util/count_of.h"
#include "util/one_line.h"
#include "util/style.h"
#include "util/text_table.h"
#include "util/utf8.h"

namespace msprobe::report {
namespace {

using outcome::Status;
using util::Align;

std::string heading(std::string_view text, bool coloured) {
  const util::Style style(coloured);
  return fmt::format("\n{}{}{}\n", style.bold(), text, style.reset());
}

}  // namespace

std::string repeat_alone(const std::string& command, const std::string& api) {
  std::string pattern;
  for (const char c : api) {
    // Control characters would go to the terminal, and could not be copied from it.
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
      pattern += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (std::string_view("\\.^$|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  std::string quoted;
  for (const char c : pattern) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return fmt::format("{} --only '^{}$'", command, quoted);
}

void Summary::add(const outcome::ApiOutcome& outcome) {
  constexpr size_t kMostReasons = 1000;  // messages that hold names must not fill the memory of a long run
  for (const outcome::Row& row : outcome.rows) worst_.add(row);
  const Status status = overall(outcome);
  const bool suspect = std::any_of(outcome.rows.begin(), outcome.rows.end(), [](const outcome::Row& row) {
    return row.assessed.word == outcome::Assessment::kSuspect;
  });
  if (suspect && suspects_.size() < kMost) suspects_.push_back(outcome.api);
  if (status == Status::kError && !suspect && errors_.size() < kMost) errors_.push_back(outcome.api);
  if (status == Status::kWarning && !suspect && warnings_.size() < kMost) warnings_.push_back(outcome.api);
  if (status == Status::kSkip && outcome::cut_short(outcome.reason)) {
    ++all_cut_short_;
    if (cut_short_.size() < kMost) cut_short_.push_back(outcome.api);
  }
  if (status == Status::kSkip) {
    const auto known = reasons_.find(outcome.message);
    if (known != reasons_.end())
      ++known->second;
    else if (reasons_.size() < kMostReasons)
      reasons_.emplace(outcome.message, 1);
  }
  if (!(outcome.seconds > 0)) return;
  const auto place = std::upper_bound(slowest_.begin(), slowest_.end(), outcome.seconds,
                                      [](double seconds, const Timed& other) { return seconds > other.seconds; });
  if (static_cast<size_t>(place - slowest_.begin()) >= kMost) return;
  slowest_.insert(place, {outcome.api, outcome.seconds});
  if (slowest_.size() > kMost) slowest_.pop_back();
}

std::string Summary::counts(const Tally& tally, bool coloured) const {
  const util::Style style(coloured);
  util::TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.add({"", "pass", "warning", "error", "SKIP", "none"}, std::string(style.bold()), std::string(style.reset()));
  for (const auto& [name, counts] : {std::pair("forward", tally.forward), std::pair("backward", tally.backward)}) {
    std::vector<std::string> cells = {name};
    for (const int64_t count : counts) cells.push_back(std::to_string(count));
    const bool bad = counts[static_cast<size_t>(Status::kError)] > 0;
    table.add(std::move(cells), std::string(bad ? style.red() : ""), std::string(bad ? style.reset() : ""));
  }
  return table.render();
}

std::string Summary::worst(const Files& files, bool coloured, size_t width) const {
  if (worst_.rows().empty()) return "";
  const util::Style style(coloured);
  constexpr size_t kLongestName = 64;
  util::TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  for (const WorstRow& row : worst_.rows()) {
    const std::string_view colour = row.status == Status::kWarning ? style.yellow() : style.red();
    const std::string max_abs = row.max_abs ? fmt::format("最大绝对误差 {:.6g}", *row.max_abs) : "";
    std::string verdict(status_text(row.status));
    if (const std::string_view word = rule_of(row.assessment).word; !word.empty()) verdict.append(", ").append(word);
    table.add({std::move(verdict), util::fit_width_middle(row.name, kLongestName), row.dtype,
               util::fit_width(row.finding.text, width / 2), max_abs, files.place ? files.place(row.name) : ""},
              std::string(colour), std::string(style.reset()));
  }
  return heading("Worst rows", coloured) + table.render("  ");
}

std::string Summary::slowest() const {
  util::TextTable table({Align::kRight, Align::kLeft});
  for (const Timed& timed : slowest_) table.add({fmt::format("{:.3f} s", timed.seconds), timed.api});
  return table.render("  ");
}

std::string Summary::failing(const Tally& tally, const std::string& repeat_command) const {
  std::string out;
  size_t shown = 0;
  for (const auto* names : {&suspects_, &errors_, &cut_short_, &warnings_})
    for (size_t i = 0; i < names->size() && shown < kMost; ++i, ++shown)
      out += fmt::format("  {}\n", repeat_alone(repeat_command, (*names)[i]));
  const int64_t all = tally.of(Status::kError) + all_cut_short_ + tally.of(Status::kWarning) + tally.suspects;
  if (all > static_cast<int64_t>(shown))
    out += fmt::format("  ... and {} more in the results, with their names for the one behind --only\n",
                       all - static_cast<int64_t>(shown));
  return out;
}

std::string Summary::skipped(const Tally& tally, bool coloured, size_t width) const {
  if (tally.of(Status::kSkip) == 0) return "";
  std::vector<std::pair<int64_t, std::string>> reasons;
  for (const auto& [reason, count] : reasons_) reasons.emplace_back(count, reason.empty() ? "no reason given" : reason);
  constexpr size_t kShown = 5;
  const size_t shown = std::min(kShown, reasons.size());
  std::partial_sort(
      reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(shown), reasons.end(),
      [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  util::TextTable table({Align::kRight, Align::kLeft});
  for (size_t i = 0; i < shown; ++i)
    table.add({std::to_string(reasons[i].first), util::fit_width(reasons[i].second, std::max<size_t>(width, 40) - 12)});
  return heading("Skipped most often because", coloured) + table.render("  ");
}

std::string Summary::render(const Tally& tally, const Files& files, bool brief, bool coloured, size_t width) const {
  const util::Style style(coloured);
  std::string out = counts(tally, coloured);
  if (const std::string assessed = tally.assessments.line(); !assessed.empty()) out += assessed + "\n";
  // An error that the training run saw and the replay does not show is news.
  if (tally.recorded_identical + tally.recorded_differing > 0)
    out += fmt::format("recorded outputs: {} identical to the replay, {} differ{}\n",
                       util::count_of(tally.recorded_identical, "API"), tally.recorded_differing,
                       tally.recorded_differing == 1 ? "s" : "");
  if (!brief) {
    if (!files.beginnings.empty()) out += "\n" + files.beginnings;
    out += worst(files, coloured, width);
    if (!slowest_.empty()) out += heading("Slowest APIs", coloured) + slowest();
    if (const std::string commands = failing(tally, files.repeat_command); !commands.empty())
      out += heading("To check one of these alone again", coloured) + commands;
    out += skipped(tally, coloured, width);
  }
  if (tally.total == 0)
    out += "\nNo API was checked in this run.\n";
  else if (tally.of(Status::kSkip) == tally.total)
    out += fmt::format("\n{}Nothing was checked: {} skipped.{}\n", style.bold(),
                       tally.total == 1 ? "the only API was" : fmt::format("all {} APIs were", tally.total),
                       style.reset());
  out += fmt::format("\nResults  {}\nDetails  {}\n", util::one_line(files.result), util::one_line(files.details));
  if (tally.of(Status::kError) + tally.of(Status::kWarning) + all_cut_short_ + tally.suspects > 0)
    out += fmt::format("To check all {}{}again: {}\n",
                       tally.suspects == 0 ? "with error or warning" : "with error or warning, or suspect",
                       all_cut_short_ == 0 ? " " : ", or cut short, ", util::one_line(files.rerun_command));
  return out;
}

}  // namespace msprobe::report
