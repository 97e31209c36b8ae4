// Subcommands; each gets the parsed Settings and returns an exit code.
#pragma once
#include "config/settings.h"

namespace msprobe::cli {

int acc_check(const config::Settings& settings);
int multi_acc_check(const config::Settings& settings);

}  // namespace msprobe::cli
