#include "report/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "report/csv_source.h"
#include "util/error.h"
#include "util/one_line.h"
#include "util/utf8.h"

namespace msprobe::report {
namespace {

// A record in memory: uint32 line, uint32 end of each cell (counted from the first byte of text), text.
uint32_t load(const std::byte* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
void store(std::byte* at, uint32_t value) {
  std::memcpy(at, &value, sizeof value);
}

/// What counts of a column's name.
std::string folded(std::string_view name) {
  std::string out;
  for (char c : name)
    if (c != ' ') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out == "小值域判定结果" ? "小值域错误判定结果" : out;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

/// Splits the line of a record in place.
class Splitter {
 public:
  explicit Splitter(char separator) : separator_(separator) {}
  const std::vector<std::string_view>& split(char* line) {
    switch (separator_) {
      case ';':
        return split_by<';'>(line);
      case '\t':
        return split_by<'\t'>(line);
      default:
        return split_by<','>(line);
    }
  }
  /// Line breaks inside the record that was split last.
  uint32_t breaks() const { return breaks_; }

 private:
  template <char separator>
  const std::vector<std::string_view>& split_by(char* line) {
    using Escape = io::double_quote_escape<separator, '"'>;
    cells_.clear();
    breaks_ = 0;
    const char* first_break = std::strchr(line, kFoldedBreak);  // most cells stand before it
    for (bool more = true; more;) {
      char* begin = line;
      char* end = line + (Escape::find_next_column_end(line) - line);
      const bool has_break = first_break && first_break < end;
      more = *end != '\0';
      line = end + 1;
      *end = '\0';
      if (*begin == '"') Escape::unescape(begin, end);
      if (has_break) unfold(begin, end);
      cells_.emplace_back(begin, static_cast<size_t>(end - begin));
    }
    return cells_;
  }

  void unfold(char* begin, char* end) {
    for (char* c = begin; (c = static_cast<char*>(std::memchr(c, kFoldedBreak, static_cast<size_t>(end - c))));
         ++breaks_)
      *c = '\n';
  }

  char separator_;
  std::vector<std::string_view> cells_;
  uint32_t breaks_ = 0;
};

std::vector<std::string> read_header(const std::string& path, uint32_t line,
                                     const std::vector<std::string_view>& cells) {
  std::vector<std::string> columns;
  std::map<std::string, std::string> seen;
  for (std::string_view cell : cells) {
    if (!util::is_utf8(cell))
      throw Error(fmt::format("{}:{}", path, line), "the names of the columns are not UTF-8",
                  "save the file as CSV in UTF-8");
    columns.emplace_back(cell);
    if (is_blank(cell)) continue;
    const auto [before, is_new] = seen.emplace(folded(cell), cell);
    if (!is_new)
      throw Error(fmt::format("{}:{}", path, line), fmt::format("column {} is there twice", util::one_line(cell)),
                  "keep one of them");
  }
  return columns;
}

void require_columns(const Table& table, uint32_t line, const std::vector<std::string>& required) {
  std::string missing;
  for (const std::string& name : required)
    if (table.column(name) < 0) missing += (missing.empty() ? "" : ", ") + name;
  if (missing.empty()) return;
  throw Error(fmt::format("{}:{}", table.path, line), "these columns are missing: " + missing,
              "check that this is the right file, and that its first line holds the names of the columns");
}

/// False for a row without text. Cells beyond the header may only be blank, as spreadsheets leave them.
bool is_row(const Table& table, uint32_t line, const std::vector<std::string_view>& cells) {
  if (std::all_of(cells.begin(), cells.end(), is_blank)) return false;
  for (size_t i = table.columns.size(); i < cells.size(); ++i)
    if (!is_blank(cells[i]))
      throw Error(fmt::format("{}:{}", table.path, line),
                  fmt::format("{} cells, but the header names {} columns", cells.size(), table.columns.size()),
                  "a cell that holds a comma must stand in quotes");
  return true;
}

}  // namespace

std::string_view TableRow::operator[](int column) const {
  if (column < 0 || static_cast<size_t>(column) >= columns_) return {};
  const std::byte* ends = record_ + sizeof(uint32_t);
  const uint32_t begin = column == 0 ? 0 : load(ends + sizeof(uint32_t) * (column - 1));
  const char* text = reinterpret_cast<const char*>(ends + sizeof(uint32_t) * columns_);
  return {text + begin, load(ends + sizeof(uint32_t) * column) - begin};
}

uint32_t TableRow::line() const {
  return load(record_);
}

std::byte* TableRows::allocate(size_t bytes) {
  constexpr size_t kChunk = 1 << 20;
  if (bytes > capacity_ - used_) {
    capacity_ = std::max(bytes, kChunk);
    chunks_.emplace_back(new std::byte[capacity_]);  // not make_unique: nothing to be zeroed
    used_ = 0;
  }
  std::byte* place = chunks_.back().get() + used_;
  used_ += bytes;
  return place;
}

void TableRows::append(const std::vector<std::string_view>& cells, size_t columns, uint32_t line) {
  columns_ = columns;
  const size_t count = std::min(cells.size(), columns);
  size_t text_size = 0;
  for (size_t i = 0; i < count; ++i) text_size += cells[i].size();
  std::byte* record = allocate(sizeof(uint32_t) * (1 + columns) + text_size);
  records_.push_back(record);
  store(record, line);
  std::byte* ends = record + sizeof(uint32_t);
  std::byte* text = ends + sizeof(uint32_t) * columns;
  uint32_t end = 0;
  for (size_t i = 0; i < columns; ++i) {
    if (i < count && !cells[i].empty()) {
      std::memcpy(text + end, cells[i].data(), cells[i].size());
      end += static_cast<uint32_t>(cells[i].size());
    }
    store(ends + sizeof(uint32_t) * i, end);
  }
}

int Table::column(std::string_view name) const {
  const std::string wanted = folded(name);
  for (size_t i = 0; i < columns.size(); ++i)
    if (folded(columns[i]) == wanted) return static_cast<int>(i);
  return -1;
}

Table read_table(const std::string& path, const std::vector<std::string>& required_columns) {
  TableRows rows;
  Table table = read_rows(path, required_columns,
                          [&](const Table& header, const std::vector<std::string_view>& cells, uint32_t line) {
                            rows.append(cells, header.columns.size(), line);
                          });
  table.rows = std::move(rows);
  return table;
}

Table read_rows(const std::string& path, const std::vector<std::string>& required_columns, const RowReader& read) {
  Table table;
  table.path = path;
  uint32_t line = 1;
  try {
    io::LineReader lines(path, std::make_unique<CsvSource>(path, &table.ends_openly));
    std::unique_ptr<Splitter> splitter;
    for (char* text = lines.next_line(); text; text = lines.next_line()) {
      if (!splitter && std::strncmp(text, "sep=", 4) == 0 && std::strlen(text) == 5) {  // a spreadsheet's own hint
        ++line;
        continue;
      }
      if (!splitter && is_blank(text)) {
        ++line;
        continue;
      }
      if (!splitter) {
        splitter = std::make_unique<Splitter>(detect_separator(text));
        table.columns = read_header(path, line, splitter->split(text));
        require_columns(table, line, required_columns);
      } else if (const auto& cells = splitter->split(text); is_row(table, line, cells)) {
        read(table, cells, line);
      }
      line += 1 + splitter->breaks();
    }
    if (!splitter) throw Error(path, "is empty, expected a line with the names of the columns");
  } catch (const io::error::line_length_limit_exceeded&) {
    throw Error(fmt::format("{}:{}", path, line), "the line is longer than 16 MB", "check that this is a CSV file");
  } catch (const io::error::escaped_string_not_closed&) {
    throw Error(fmt::format("{}:{}", path, line), "a quote is opened and never closed", "repair that line");
  }
  return table;
}

}  // namespace msprobe::report
