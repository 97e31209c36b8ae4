// What the tests of msprobe diff share: details files made by hand.
#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/settings.h"
#include "diff/diff.h"
#include "report/csv_writer.h"
#include "support/temp_folder.h"

namespace msprobe::diff::testing {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;

/// An output: name, Status, Message, dtype, and figures by column as text; the other cells are blank.
struct Line {
  std::string name, status = "pass", message = {}, dtype = "torch.float32";
  std::map<std::string, std::string> figures = {};
};

inline std::string details(const std::vector<Line>& lines) {
  const Cells header = report::details_header();
  std::string text = report::csv_row(header);
  for (const Line& line : lines) {
    Cells cells(header.size(), " ");
    cells[0] = line.name;
    cells[2] = line.dtype;
    cells[header.size() - 2] = line.status;
    cells[header.size() - 1] = line.message;
    for (const auto& [column, value] : line.figures) {
      const auto at = std::find(header.begin(), header.end(), column);
      if (at == header.end()) throw std::logic_error("no column " + column);
      cells[static_cast<size_t>(at - header.begin())] = value;
    }
    text += report::csv_row(cells);
  }
  return text;
}

inline Options options(const std::string& before, const std::string& after) {
  Options o;
  o.old_path = before;
  o.new_path = after;
  o.limits_path = MSPROBE_CONFIG_DIR "/diff.yaml";
  o.limits = config::load_diff_limits(o.limits_path);
  o.standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return o;
}

/// Names of the changed rows of one kind, in the report's order.
inline Cells names(const DiffReport& report, Change change) {
  Cells found;
  for (const ChangedRow& row : report.rows[static_cast<size_t>(change)]) found.push_back(row.name);
  return found;
}

}  // namespace msprobe::diff::testing
