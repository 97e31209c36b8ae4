// What is said at the end of a run.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/tally.h"
#include "report/worst_rows.h"

namespace msprobe::report {

class Summary {
 public:
  explicit Summary(const config::Standards& standards) : worst_(standards, kMost) {}
  void add(const outcome::ApiOutcome& outcome);

  struct Files {
    std::string result, details;
    std::string repeat_command;   ///< checks the same dump again; `--only` with one name is put behind it
    std::string rerun_command;    ///< checks all again that have an error or a warning, or were cut short
    std::string beginnings = {};  ///< lines on where inf, nan and zeros began
    std::function<std::string(std::string_view row)> place = {};  ///< see Options
  };
  /// `brief`: counts, paths and rerun_command only. Lines fit `width` columns where a name can be cut.
  std::string render(const Tally& tally, const Files& files, bool brief, bool coloured, size_t width) const;

 private:
  static constexpr size_t kMost = 10;
  struct Timed {
    std::string api;
    double seconds;
  };
  std::string counts(const Tally& tally, bool coloured) const;
  std::string worst(const Files& files, bool coloured, size_t width) const;
  std::string slowest() const;
  std::string failing(const Tally& tally, const std::string& repeat_command) const;
  std::string skipped(const Tally& tally, bool coloured, size_t width) const;

  WorstRows worst_;
  std::vector<Timed> slowest_;                                         ///< longest first
  std::vector<std::string> suspects_, errors_, cut_short_, warnings_;  ///< the first of each
  int64_t all_cut_short_ = 0;
  std::map<std::string, int64_t> reasons_;  ///< of SKIP
};

/// `command` followed by an --only that matches `api` and nothing else, quoted for a shell.
std::string repeat_alone(const std::string& command, const std::string& api);

}  // namespace msprobe::report
