// Commands for a person to copy, with the options that were given.
#pragma once
#include <string>

namespace msprobe::options {

struct Commands {
  std::string repeat;  ///< checks this dump again; `--only REGEX` may be put behind it
  std::string resume;  ///< goes on with this run, once resume_command() has named its file

  /// Checks again what failed in a result CSV.
  std::string rerun_command(const std::string& result_csv) const;
  /// Goes on with the interrupted run of a result CSV.
  std::string resume_command(const std::string& result_csv) const;
};

}  // namespace msprobe::options
