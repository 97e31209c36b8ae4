#include "report/csv_writer.h"

#include <charconv>
#include <cmath>

#include "util/utf8.h"

namespace msprobe::report {
namespace {

constexpr std::string_view kBlank = " ";

/// True for what spreadsheets and our readers take for a number: digits with sign, point and exponent, inf, nan.
bool is_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return true;
  // from_chars would take inf and nan in other spellings, and a second sign.
  if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && error != std::errc::invalid_argument;
}

bool starts_like_a_formula(std::string_view text) {
  // Programs that trim a tab or a line break off still see the formula behind it.
  while (!text.empty() && (text[0] == '\t' || text[0] == '\r' || text[0] == '\n')) text.remove_prefix(1);
  for (std::string_view sign : {"=", "+", "-", "@", "＝", "＋", "－", "＠"})
    if (text.substr(0, sign.size()) == sign) return !is_number(text);
  return false;
}

bool is_plain(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F || c == '"' || c == ',')
      return false;
  return text.empty() || (text[0] != '=' && text[0] != '+' && text[0] != '-' && text[0] != '@');
}

void append_cell(std::string& out, std::string_view text) {
  if (text.empty())
    out += kBlank;
  else if (is_plain(text))
    out += text;
  else
    out += csv_cell(text);
}

/// Line breaks (CRLF counts once) and other control characters become spaces: every row stays on one line.
std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 8);
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += c < 0x20 && c != '\t' ? ' ' : text[i];
  }
  return out;
}

}  // namespace

std::string format_figure(std::optional<double> value, int precision) {
  if (!value) return std::string(kBlank);
  if (std::isnan(*value)) return "nan";
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  char digits[352];  // 309 before the point, 20 behind it, sign
  const auto result = std::to_chars(digits, digits + sizeof digits, *value, std::chars_format::fixed, precision);
  return std::string(digits, result.ptr);
}

std::string csv_cell(std::string_view text) {
  std::string cell = util::is_utf8(text) ? on_one_line(text) : on_one_line(util::repair_utf8(text));
  if (starts_like_a_formula(text)) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) row += ',';
    append_cell(row, cells[i]);
  }
  return row + "\r\n";
}

std::vector<std::string> result_header() {
  return {"API name", "Forward Test Success", "Backward Test Success", "Message"};
}

std::vector<std::string> details_header() {
  std::vector<std::string> header = {"API Name", "Bench Dtype", "DEVICE Dtype", "Shape"};
  header.insert(header.end(), outcome::kFigureColumns.begin(), outcome::kFigureColumns.end());
  header.insert(header.end(), {"Status", "Message"});
  return header;
}

std::string result_line(const outcome::ApiOutcome& outcome) {
  std::string line;
  append_cell(line, outcome.api);
  for (const outcome::Status status : {outcome.forward, outcome.backward}) {
    line += ',';
    line += outcome::status_text(status);
  }
  line += ',';
  append_cell(line, outcome.message);
  return line + "\r\n";
}

std::string details_lines(const outcome::ApiOutcome& outcome, int precision) {
  std::string lines;
  lines.reserve(outcome.rows.size() * 384);
  for (const outcome::Row& row : outcome.rows) {
    append_cell(lines, row.name);
    for (const std::string* cell : {&row.bench_dtype, &row.device_dtype, &row.shape}) {
      lines += ',';
      append_cell(lines, *cell);
    }
    for (const auto& figure : row.figures) {
      lines += ',';
      lines += format_figure(figure, precision);
    }
    lines += ',';
    lines += outcome::status_text(row.status);
    lines += ',';
    append_cell(lines, row.message);
    lines += "\r\n";
  }
  return lines;
}

}  // namespace msprobe::report
