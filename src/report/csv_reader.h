// Reads details and result CSVs of ours, of MindStudio msprobe, and as re-saved by spreadsheet programs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::report {

/// The cells of one row: views that live as long as the table. A missing trailing cell, and any cell of column -1, is
/// "".
class TableRow {
 public:
  TableRow(const std::byte* record, size_t columns) : record_(record), columns_(columns) {}
  std::string_view operator[](int column) const;
  size_t size() const { return columns_; }
  /// Line of the file on which the row starts (1 = first line of the file).
  uint32_t line() const;

 private:
  const std::byte* record_;  ///< line, end of each cell, then the cells' text; see csv_reader.cpp
  size_t columns_;
};

/// The rows of a table, packed: 4 bytes a cell beside its text, so that a million rows of 23 columns fit into 0.4 GB.
/// Used like a vector: `for (TableRow row : table.rows)`, `table.rows[i][column]`, `table.rows.size()`.
class TableRows {
 public:
  class Iterator {
   public:
    Iterator(const TableRows* rows, size_t i) : rows_(rows), i_(i) {}
    TableRow operator*() const { return (*rows_)[i_]; }
    Iterator& operator++() { return ++i_, *this; }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    const TableRows* rows_;
    size_t i_;
  };
  size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }
  TableRow operator[](size_t i) const { return {records_[i], columns_}; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// Appends a row of `columns` cells (always as many as in the first call); more than cells.size() are "".
  void append(const std::vector<std::string_view>& cells, size_t columns, uint32_t line);

 private:
  std::byte* allocate(size_t bytes);

  size_t columns_ = 0;
  std::vector<const std::byte*> records_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t used_ = 0, capacity_ = 0;  ///< of the last chunk
};

/// A table by column name. Cells are trimmed of nothing; line breaks inside a cell are '\n'.
struct Table {
  std::string path;
  std::vector<std::string> columns;  ///< as the file spells them
  TableRows rows;
  /// The last line has no line break: the file may have been cut off there.
  bool ends_openly = false;
  /// -1 when absent. Blanks and the case of ASCII letters do not count (`API name`, `API Name`; `inf / nan 错误率`),
  /// and the names that MindStudio's versions gave a column are one (`小值域判定结果`, `小值域错误判定结果`).
  int column(std::string_view name) const;
};

/// UTF-8 with or without mark, or UTF-16 with one; LF, CRLF or CR; ',', ';' or tab between cells; quoted line breaks;
/// any column order, extra columns, short rows. Empty lines, and rows without any text, are left out. Throws Error
/// naming the file and line: unreadable, not UTF-8, unterminated quote, more cells than columns, a column twice,
/// required columns missing (all of them are named).
Table read_table(const std::string& path, const std::vector<std::string>& required_columns);

/// The same row by row, keeping none; returns the table without its rows, which `header` is too. `cells` are views that
/// end with the call, and may be fewer than the columns.
using RowReader = std::function<void(const Table& header, const std::vector<std::string_view>& cells, uint32_t line)>;
Table read_rows(const std::string& path, const std::vector<std::string>& required_columns, const RowReader& read);

}  // namespace msprobe::report
