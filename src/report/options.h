// What this room takes of a run's settings.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace msprobe::report {

struct Options {
  bool quiet = false;                  ///< no progress, no summary beyond what must be said
  bool saves_tensors = false;          ///< of APIs that failed, or of all
  std::string error_data_path = "./";  ///< the folder in which their folder is made
  /// Where the API of a row was called, on one line; "": not known. Asked for what is shown alone.
  std::function<std::string(std::string_view row)> place = {};
  bool place_of_each = false;  ///< also in the log's line of each API
};

}  // namespace msprobe::report
