// Columns of text for a terminal, aligned by display width.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::util {

enum class Align { kLeft, kRight };

/// Collects rows, then renders them with every column as wide as its widest cell.
class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// Fewer cells than columns: the rest is empty. `before` and `after` are put around each cell of the row and take no
  /// columns (colour). What a cell holds is put on one line (util::one_line): names come from dumps.
  void add(std::vector<std::string> cells, std::string before = "", std::string after = "");
  bool empty() const { return rows_.empty(); }
  /// Lines ending in '\n', each starting with `indent`; two blanks between columns, none at the end of a line.
  std::string render(std::string_view indent = "") const;

 private:
  struct Line {
    std::vector<std::string> cells;
    std::string before, after;
  };
  std::vector<Align> columns_;
  std::vector<Line> rows_;
};

}  // namespace msprobe::util
