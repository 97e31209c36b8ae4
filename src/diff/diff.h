// msprobe diff: two results of one dump, such as of two CANN releases, against each other. docs/diff.md
#pragma once
#include <string>

#include "config/diff_limits.h"
#include "config/standards.h"
#include "diff/report.h"

namespace msprobe::diff {

struct Options {
  std::string old_path, new_path;  ///< results as diff/find.h takes them
  std::string out_path;            ///< folder of the CSV file; empty: none is written
  config::DiffLimits limits;
  std::string limits_path;  ///< the file they come from, for messages
  config::Standards standards;
};

/// Reads, compares, writes. Throws Error where something cannot be compared, WriteError where the CSV file cannot be
/// written; no file is left then.
DiffReport run(const Options& options);

/// --fail-on worse: something got worse, or nothing stands in both, which shows nothing.
bool fails_on_worse(const DiffReport& report);

}  // namespace msprobe::diff
