// Reads details and result CSVs of ours, of MindStudio msprobe, and as re-saved by spreadsheet programs.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::report {

/// A table by column name. Cells are trimmed of nothing; a missing trailing cell is empty.
struct Table {
  std::string path;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  int column(std::string_view name) const;  ///< -1 when absent
};

/// Mark or none, LF or CRLF, ',' or ';', quoted line breaks, short rows, extra columns.
/// Throws Error naming the file and line: unreadable, unterminated quote, more cells than columns, required columns missing.
Table read_table(const std::string& path, const std::vector<std::string>& required_columns);

}  // namespace msprobe::report
