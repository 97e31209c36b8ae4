// The parts of a run become the files of one.
#pragma once
#include <string>
#include <vector>

#include "run/result.h"

namespace msprobe::run {

/// Joins the files of a run's parts (plan/merge.h), prints how many APIs there are and where, and judges them by
/// `fail_on` (fail_on.h). Throws Error as plan::merge does; no file is left then.
Result merge(const std::vector<std::string>& parts, const std::string& out_path, const std::string& fail_on);

}  // namespace msprobe::run
