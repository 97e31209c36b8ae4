#include "report/row_cells.h"

#include <utility>

#include "report/csv_writer.h"

namespace msprobe::report {

std::optional<std::vector<std::string>> split_row(std::string_view line) {
  std::vector<std::string> cells;
  size_t i = 0;
  for (;;) {
    std::string cell;
    if (i < line.size() && line[i] == '"') {
      for (++i;; ++i) {
        if (i >= line.size()) return std::nullopt;
        if (line[i] == '"') {
          if (i + 1 >= line.size() || line[i + 1] != '"') break;
          ++i;
        }
        cell += line[i];
      }
      ++i;
    } else {
      while (i < line.size() && line[i] != ',') {
        if (line[i] == '"') return std::nullopt;
        cell += line[i++];
      }
    }
    if (cell.find_first_of("\r\n") != std::string::npos) return std::nullopt;
    cells.push_back(std::move(cell));
    if (i >= line.size()) return cells;
    if (line[i] != ',') return std::nullopt;
    ++i;
  }
}

std::optional<std::string> api_of_row(std::string_view row_name) {
  constexpr std::string_view kOutput = ".output.";
  const size_t output = row_name.rfind(kOutput);
  if (output == std::string_view::npos || output + kOutput.size() == row_name.size()) return std::nullopt;
  for (char c : row_name.substr(output + kOutput.size()))
    if ((c < '0' || c > '9') && c != '.') return std::nullopt;
  const std::string_view before = row_name.substr(0, output);
  for (std::string_view direction : {".forward", ".backward"})
    if (before.size() > direction.size() && before.substr(before.size() - direction.size()) == direction)
      return std::string(before.substr(0, before.size() - direction.size()));
  return std::nullopt;
}

std::string name_in_file(std::string_view api) {
  std::string line = csv_row({std::string(api)});
  line.resize(line.size() - 2);  // CRLF
  auto cells = split_row(line);
  return cells && cells->size() == 1 ? std::move((*cells)[0]) : std::string(api);
}

}  // namespace msprobe::report
