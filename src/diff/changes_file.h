// accuracy_diff_{timestamp}.csv: one row an output that is not the same in both (docs/diff.md#the-csv).
#pragma once
#include <memory>
#include <string>

#include "diff/report.h"
#include "util/atomic_file.h"

namespace msprobe::diff {

/// There whole once commit() has returned, or not at all. Throws Error where the folder cannot be made, WriteError
/// where the file cannot be written.
class ChangesFile {
 public:
  explicit ChangesFile(const std::string& folder);

  void add(const ChangedRow& row);
  void commit();
  const std::string& path() const { return path_; }

 private:
  std::string path_, lines_;
  std::unique_ptr<util::AtomicFile> file_;
};

}  // namespace msprobe::diff
