// The subcommands that check a dump; each gets the parsed Settings and returns an exit code.
#pragma once
#include "config/settings.h"

namespace msprobe::cli {

/// Runs the APIs of settings.api_info, one worker a device, and writes the two CSV files. Throws Error as long as
/// nothing was run (exit code 2); from then on what was done is kept, and the exit code tells.
int acc_check(const config::Settings& settings);
/// The same by settings.num_splits workers, at most 8 a device.
int multi_acc_check(const config::Settings& settings);

}  // namespace msprobe::cli
