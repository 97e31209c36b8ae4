#include "report/figure_cell.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

namespace msprobe::report {
namespace {

std::string_view trimmed(std::string_view text) {
  // By hand: find_first_not_of calls memchr for each character, of twenty million cells.
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  size_t begin = 0, end = text.size();
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

FigureCell word_of_number(std::string_view text) {
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity"))
    return {CellKind::kNumber, std::numeric_limits<double>::infinity()};
  if (equals_ignoring_case(text, "nan")) return {CellKind::kNumber, std::numeric_limits<double>::quiet_NaN()};
  return {CellKind::kUnreadable, 0};
}

FigureCell unsigned_number(std::string_view text) {
  // from_chars would take a second sign, and the words in other spellings than ours.
  if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return word_of_number(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {CellKind::kUnreadable, 0};
  // from_chars leaves the value alone when it is out of range; strtod gives inf or 0.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  return {CellKind::kNumber, value};
}

/// `0.00000`: what most rates are.
bool is_plain_zero(std::string_view text) {
  return text.starts_with("0.") && std::all_of(text.begin() + 2, text.end(), [](char c) { return c == '0'; });
}

}  // namespace

FigureCell read_figure(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return {};
  if (is_plain_zero(text)) return {CellKind::kNumber, 0};
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  FigureCell cell = unsigned_number(text);
  if (cell.kind == CellKind::kUnreadable && std::count(text.begin(), text.end(), ',') == 1 &&
      text.find('.') == std::string_view::npos) {
    std::string with_point(text);
    with_point[with_point.find(',')] = '.';
    cell = unsigned_number(with_point);
  }
  if (negative) cell.value = -cell.value;
  return cell;
}

outcome::Status read_status(std::string_view cell) {
  using outcome::Status;
  for (const Status status : {Status::kPass, Status::kWarning, Status::kError, Status::kSkip})
    if (cell == outcome::status_text(status)) return status;
  return Status::kBlank;
}

bool is_missing_value_of_pandas(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWords = {"#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN",
                                                       "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",
                                                       "NULL",   "None",     "n/a",  "null"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

}  // namespace msprobe::report
