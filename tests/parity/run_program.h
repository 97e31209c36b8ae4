// Runs the program on a dump and reads what it wrote.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "report/csv_reader.h"

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
    static int count = 0;
    folder_ =
        fs::temp_directory_path() / ("msprobe_parity_" + std::to_string(getpid()) + "_" + std::to_string(++count));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "config.json") << config;
    const std::string command = "cd '" + folder_.string() +
                                "' && env -u MSPROBE_CONFIG MSPROBE_CONFIG_DIR='" MSPROBE_CONFIG_DIR
                                "' '" MSPROBE_PROGRAM "' acc_check -api_info '" +
                                dump.string() +
                                "' --device_type cpu --threads 1 -config config.json >log 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream log_file(folder_ / "log");
    log = {std::istreambuf_iterator<char>(log_file), {}};
    if (code != 0) return;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("accuracy_checking_details_")) details = read_rows(entry.path());
      if (name.starts_with("accuracy_checking_result_")) results = read_rows(entry.path());
      if (name.starts_with("ut_error_data")) saved = entry.path();
    }
  }
  ~Outcome() { fs::remove_all(folder_); }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  int code = -1;
  std::string log;
  Rows details, results;
  fs::path saved;  ///< folder of saved tensors; empty: none

 private:
  fs::path folder_;
};

}  // namespace msprobe::parity
