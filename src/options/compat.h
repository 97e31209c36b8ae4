// Turns the spellings that users of MindStudio msprobe type (Python's argparse) into the one that CLI11 parses.
//
//   -api_info x   -csv_path=x   -o/path   -d0   -d 0 1 2   -fj   --api x   -csv x
//
// argparse's rules: an exact name wins; else an unambiguous beginning of one; else a one-letter option with the rest as
// its value (or, where it takes none, as further one-letter options). Beginnings that are unambiguous among
// MindStudio's own options stay so, whatever options this program adds. '-' and '_' within a long name are the same. Of
// an option given twice, the last one counts.
#pragma once
#include <string>
#include <vector>

#include "options/options.h"

namespace msprobe::options {

/// What stands before the subcommand, and where its arguments begin.
struct Front {
  enum class Action { kCommand, kHelp, kVersion, kGenerate };
  Action action = Action::kHelp;
  Command command = Command::kAccCheck;
  std::vector<std::string> arguments;  ///< of the subcommand; kGenerate: the kind; kVersion: what follows it
};

/// Takes `msprobe`, `msprobe -h`, `msprobe --version`, `msprobe acc_check ...`, and the older `msprobe -f pytorch
/// acc_check ...`. Throws Error for anything else, with the nearest subcommand.
Front split_command(const std::vector<std::string>& arguments);

/// Canonical arguments of a subcommand: "--long_name", or "--long_name" and a value, once for each of several values;
/// what stands without a name comes first. Throws Error: unknown option (with the nearest), ambiguous beginning (with
/// the candidates), a missing value, a value for an option that takes none, an argument that belongs to no option.
std::vector<std::string> canonical_arguments(Command command, const std::vector<std::string>& arguments);

}  // namespace msprobe::options
