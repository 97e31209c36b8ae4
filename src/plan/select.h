// Which APIs of a dump a run takes up: --only, --except, --rerun-failed, -f, --shard, in this order.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "dump/index.h"

namespace msprobe::plan {

/// What the user asked for; "" and 0 of 1: all.
struct SelectOptions {
  std::string only, except;  ///< regular expressions on full API names
  std::string rerun_failed;  ///< a result CSV
  bool filter_api = false;
  int shard = 0, shards = 1;
};

struct Selection {
  std::vector<size_t> todo;  ///< indices into the dump, in its order
  size_t alike = 0;          ///< left out by -f
  bool none_failed = false;  ///< --rerun-failed: its file has rows, and all are well
};

/// Throws Error: names that would be one in the files, an expression that cannot be read or leaves nothing, a
/// --rerun-failed file that cannot be read or names APIs that the dump does not have. Black and white lists leave
/// nothing out: they make SKIP rows.
Selection select(const SelectOptions& options, const dump::Index& index);

/// APIs of a result CSV that have error or warning, or were SKIP because the process crashed, hung or ran out of memory
/// or the device was lost. Throws Error for a file without rows, and for a verdict that this program does not write: it
/// would be taken for a pass.
std::vector<std::string> failed_apis(const std::string& result_csv);

}  // namespace msprobe::plan
