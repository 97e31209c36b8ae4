// What this room takes of a run's settings.
#pragma once
#include <string>

namespace msprobe::report {

struct Options {
  bool quiet = false;                  ///< no progress, no summary beyond what must be said
  bool saves_tensors = false;          ///< of APIs that failed, or of all
  std::string error_data_path = "./";  ///< the folder in which their folder is made
};

}  // namespace msprobe::report
