// --fail-on: has a finished run found what a script is to stop for?
#pragma once
#include <string>

namespace msprobe::cli {

/// Whether some verdict of an accuracy_checking_result CSV is `fail_on` (error, warning, skip) or worse than that, or
/// nothing was compared at all: such a run has shown nothing. Throws Error when the file cannot be read.
bool found(const std::string& result_csv, const std::string& fail_on);

}  // namespace msprobe::cli
