// --fail-on: has a finished run found what a script is to stop for?
#pragma once
#include <string>

#include "run/result.h"

namespace msprobe::run {

/// kFailed when some verdict of an accuracy_checking_result CSV is `fail_on` (error, warning, skip) or worse than that,
/// or some output is a suspect where that is asked for, or, for suspect, when a clause of some Message opens as a
/// suspect does (outcome/assessment.h) whatever the verdict, or nothing was compared at all: such a run has shown
/// nothing; else, and for an empty `fail_on`, kDone. Throws Error when the file cannot be read.
Result judged(const std::string& result_csv, const std::string& fail_on);

}  // namespace msprobe::run
