// Runs the program on a dump and reads what it wrote.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/csv_reader.h"
#include "support/program.h"

namespace msprobe::parity {

namespace fs = std::filesystem;

/// Rows by their first cell, each a map from column to cell.
struct Rows {
  std::vector<std::string> names;  ///< in order
  std::map<std::string, std::map<std::string, std::string>> cells;

  const std::string& at(const std::string& name, const std::string& column) const {
    static const std::string kNothing = "(no such row)";
    const auto row = cells.find(name);
    return row == cells.end() ? kNothing : row->second.at(column);
  }
};

inline Rows read_rows(const fs::path& path) {
  const report::Table table = report::read_table(path.string(), {});
  Rows rows;
  for (const report::TableRow row : table.rows) {
    rows.names.emplace_back(row[0]);
    auto& cells = rows.cells[rows.names.back()];
    for (size_t i = 0; i < table.columns.size(); ++i) cells[table.columns[i]] = row[static_cast<int>(i)];
  }
  return rows;
}

/// A finished run in a folder of its own, which goes with it.
class Outcome {
 public:
  /// `config`: JSON of the configuration.
  Outcome(const fs::path& dump, const std::string& config) {
    folder_.write("config.json", config);
    const support::Outcome run = support::run_program(
        folder_, "acc_check -api_info '" + dump.string() + "' --device_type cpu --threads 1 -config config.json");
    code = run.code;
    log = run.out + run.err;
    if (code != 0) return;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("accuracy_checking_details_")) details = read_rows(entry.path());
      if (name.starts_with("accuracy_checking_result_")) results = read_rows(entry.path());
      if (name.starts_with("ut_error_data")) saved = entry.path();
    }
  }

  int code = -1;
  std::string log;
  Rows details, results;
  fs::path saved;  ///< folder of saved tensors; empty: none

 private:
  const support::TempFolder folder_;
};

}  // namespace msprobe::parity
