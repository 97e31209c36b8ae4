// acc_check and multi_acc_check: a dump is opened, its APIs are selected, workers check them, two CSV files say what
// came of it.
#pragma once
#include "config/settings.h"
#include "options/commands.h"
#include "run/result.h"

namespace msprobe::run {

/// Runs the APIs of settings.api_info, one worker a device, and writes the two CSV files; with settings.list only says
/// what would be run. Throws Error as long as nothing was run or written: bad usage or unreadable input. Once the first
/// API has been run nothing is thrown: what was done is kept, and the result tells.
Result acc_check(const config::Settings& settings, const options::Commands& commands);
/// The same by settings.num_splits workers, at most 8 a device.
Result multi_acc_check(const config::Settings& settings, const options::Commands& commands);

}  // namespace msprobe::run
