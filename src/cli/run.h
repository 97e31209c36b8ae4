// The command line: parses it, fills one Settings, makes one call a subcommand.
#pragma once

namespace msprobe::cli {

/// The whole program; returns the exit code (options/exit_code.h).
int run(int argc, char** argv);

}  // namespace msprobe::cli
