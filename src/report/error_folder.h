// The folder of a run's saved tensors: ut_error_data{timestamp of its result files}.
#pragma once
#include <string>

#include "report/options.h"

namespace msprobe::report {

std::string error_folder(const Options& options, const std::string& timestamp);

/// The folder as a new run's own: runs that begin within one second would overwrite each other's tensors.
class ErrorFolder {
 public:
  explicit ErrorFolder(const Options& options) : options_(options) {}
  ErrorFolder(const ErrorFolder&) = delete;
  ErrorFolder& operator=(const ErrorFolder&) = delete;
  /// Removes the folder when nothing was saved in it.
  ~ErrorFolder();

  /// Makes the folder; false when there is one already. Throws Error or WriteError. Nothing to do, and true, when no
  /// tensors are to be saved.
  bool claim(const std::string& timestamp);
  /// A run that goes on has its folder, or gets it with the first tensors.
  void go_on(const std::string& timestamp);

 private:
  const Options options_;
  std::string path_;
};

}  // namespace msprobe::report
