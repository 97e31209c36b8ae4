// The two CSV files of a run: made, appended durably, resumed.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "metrics/row.h"

namespace msprobe::report {

/// Now as YYYYMMDDhhmmss, local time.
std::string timestamp_now();
/// accuracy_checking_{kind}_{timestamp}.csv
std::string file_name(std::string_view kind, std::string_view timestamp);

class ResultFiles {
 public:
  /// New files in `directory` (made when absent), mode 0640, headers written, both locked (flock).
  static ResultFiles create(const std::string& directory, const std::string& timestamp, int precision);
  /// Goes on behind an interrupted run: checks the name, finds the details file beside it, locks both, drops a torn last
  /// line and details rows of APIs without a result row. Throws Error and leaves the files untouched when they are not such
  /// a pair, or are still being written (says which process has them).
  static ResultFiles resume(const std::string& result_path, int precision);
  ResultFiles(ResultFiles&&) noexcept;
  ~ResultFiles();

  /// APIs that already have a result row, in file order (empty for new files).
  const std::vector<std::string>& done() const;
  /// Details first, then the result row, one write each. Throws Error (path, need) when the disk is full; nothing torn stays.
  void append(const metrics::ApiOutcome& outcome);
  const std::string& result_path() const;
  const std::string& details_path() const;
  const std::string& timestamp() const;

 private:
  struct Impl;
  explicit ResultFiles(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::report
