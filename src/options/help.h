// The help pages, from the table of options. 80 columns, one screen.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "options/options.h"

namespace msprobe::options {

struct ExitInfo {
  int code;
  std::string_view meaning, example;
};
/// The exit codes that a subcommand may end with.
std::vector<ExitInfo> exit_codes(Command command);

/// "-o, --out_path DIR", as the help shows an option.
std::string usage_of(const Option& option);

/// msprobe -h: the subcommands.
std::string help();
/// msprobe acc_check -h: what it does, the usual command, options by group with their defaults, exit codes with an
/// example each.
std::string help(Command command);

}  // namespace msprobe::options
