// Joins the files of a run's parts (--shard) to the bytes that one process would have written.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace msprobe::plan {

struct Merged {
  std::string result_path, details_path;
  size_t apis = 0;
};

/// `parts`: result CSVs with their details files beside them, or folders that hold shard_{i}_of_{n} folders (or such
/// folders). The order is that of the folders' numbers; where the files do not lie in such folders, that of the APIs'
/// call numbers (Torch.mul.3 comes before Torch.mul.4); where those do not tell, as given. New files are made in `out`.
/// Throws Error: a part missing, unfinished, changed, given twice, of other options (figures with another number of
/// digits), an API in two parts. Nothing is left behind then.
Merged merge(const std::vector<std::string>& parts, const std::string& out);

}  // namespace msprobe::plan
