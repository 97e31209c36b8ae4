// What the tests of api_precision_compare share: a folder of their own, details files, and the files that come out.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "outcome/row.h"
#include "report/csv_reader.h"
#include "report/csv_writer.h"
#include "support/temp_folder.h"

namespace msprobe::compare::testing {

namespace fs = std::filesystem;
using support::content;
using support::TempFolder;
using support::write;
using Cells = std::vector<std::string>;

inline const std::string kData = MSPROBE_TEST_DATA "/compare";

/// Runs of white space become one space; none at the ends.
inline std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// Rows in file order, the header left out; white space folded.
inline std::vector<Cells> rows_of(const std::string& path) {
  std::vector<Cells> rows;
  const report::Table table = report::read_table(path, {});
  for (const report::TableRow row : table.rows) {
    Cells cells;
    for (size_t i = 0; i < row.size(); ++i) cells.push_back(folded(row[static_cast<int>(i)]));
    rows.push_back(std::move(cells));
  }
  return rows;
}

inline Options options(const fs::path& npu, const fs::path& gpu, const fs::path& out,
                       config::Profile profile = config::Profile::kDocumented) {
  Options o;
  o.npu_csv = npu.string();
  o.gpu_csv = gpu.string();
  o.out_path = out.string();
  o.profile = profile;
  o.standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return o;
}

/// A row of a details file: name, dtype, figures by column name as text; all other cells blank.
struct InputRow {
  std::string name, dtype;
  std::map<std::string, std::string> cells;
};

inline std::string details_text(const std::vector<InputRow>& rows) {
  const Cells header = report::details_header();
  std::string text = report::csv_row(header);
  for (const InputRow& row : rows) {
    Cells cells(header.size(), " ");
    cells[0] = row.name;
    cells[2] = row.dtype;
    cells[3] = "(2, 3)";
    for (const auto& [column, value] : row.cells) {
      const auto at = std::find(header.begin(), header.end(), column);
      if (at == header.end()) throw std::logic_error("no column " + column);
      cells[static_cast<size_t>(at - header.begin())] = value;
    }
    text += report::csv_row(cells);
  }
  return text;
}

/// What api_precision_compare makes of two files with such rows: details by column name, and the rows of the result
/// file.
struct Outcome {
  CompareReport report;
  std::vector<std::map<std::string, std::string>> details;
  std::vector<Cells> results;
};

inline Outcome compare_rows(const std::vector<InputRow>& npu, const std::vector<InputRow>& gpu,
                            config::Profile profile = config::Profile::kDocumented, int precision = 14) {
  const TempFolder folder;
  write(folder / "npu.csv", details_text(npu));
  write(folder / "gpu.csv", details_text(gpu));
  Options o = options(folder / "npu.csv", folder / "gpu.csv", folder / "out", profile);
  o.precision = precision;
  Outcome outcome;
  outcome.report = run(o);
  const report::Table table = report::read_table(outcome.report.details_path, {});
  for (const report::TableRow row : table.rows) {
    auto& cells = outcome.details.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) cells[table.columns[i]] = folded(row[static_cast<int>(i)]);
  }
  outcome.results = rows_of(outcome.report.result_path);
  return outcome;
}

}  // namespace msprobe::compare::testing
