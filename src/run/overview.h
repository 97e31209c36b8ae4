// msprobe overview: what the recorded statistics of dumps tell, without running anything.
#pragma once
#include <string>
#include <vector>

#include "config/settings.h"
#include "run/result.h"

namespace msprobe::run {

/// Prints, of each dump (a file, or all below a folder), where inf, nan and zeros began, a line of magnitudes for
/// forward and for backward, and of each API that settings.only and settings.except leave the ranges, the norm and the
/// place; with -v of each tensor, with -q of none. Throws Error: nothing could be shown. Of several dumps, one that
/// cannot be read is told, and the result is kCouldNotFinish.
Result overview(const std::vector<std::string>& dumps, const config::Settings& settings);

}  // namespace msprobe::run
