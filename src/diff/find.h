// Results as users name them: a file, a folder that holds one, or a tree of step*/rank* folders.
#pragma once
#include <string>
#include <vector>

namespace msprobe::diff {

struct Result {
  std::string place;    ///< "step0/rank1", as the tree has it; empty: one result
  std::string details;  ///< accuracy_checking_details_*.csv
  std::string result;   ///< the file beside it, which may be absent
};

/// In the order of steps and ranks. Throws Error: nothing there, no result in the folder, several in one, a result file
/// without its details file.
std::vector<Result> find_results(const std::string& path);

/// Results of the same place, and the places that one side lacks.
struct Paired {
  std::vector<std::pair<Result, Result>> pairs;
  std::vector<std::string> only_old, only_new;
};
/// Throws Error: a tree against a single result, no place in both.
Paired pair_up(const std::string& old_path, const std::string& new_path);

}  // namespace msprobe::diff
