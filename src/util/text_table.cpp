#include "util/text_table.h"

#include <algorithm>

#include "util/one_line.h"
#include "util/utf8.h"

namespace msprobe::util {

void TextTable::add(std::vector<std::string> cells, std::string before, std::string after) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back({std::move(cells), std::move(before), std::move(after)});
}

std::string TextTable::render(std::string_view indent) const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const Line& line : rows_)
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(line.cells[i]));

  std::string out;
  for (const Line& line : rows_) {
    out += indent;
    size_t owed = 0;  // blanks that are due before the next text, so that no line ends in them
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string& cell = line.cells[i];
      const size_t padding = widths[i] - display_width(cell);
      if (columns_[i] == Align::kRight) owed += padding;
      if (!cell.empty()) {
        out.append(owed, ' ');
        owed = 0;
        out += line.before + cell + line.after;
      }
      if (columns_[i] == Align::kLeft) owed += padding;
      owed += 2;
    }
    out += '\n';
  }
  return out;
}

}  // namespace msprobe::util
