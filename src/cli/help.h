// The help pages, from the table of options. 80 columns, one screen.
#pragma once
#include <string>

#include "cli/options.h"

namespace msprobe::cli {

/// msprobe -h: the subcommands.
std::string help();
/// msprobe acc_check -h: what it does, the usual command, options by group with their defaults, exit codes with an
/// example each.
std::string help(Command command);

}  // namespace msprobe::cli
