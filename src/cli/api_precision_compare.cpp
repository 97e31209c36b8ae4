#include <unistd.h>

#include <cstdio>

#include "cli/exit_code.h"
#include "cli/subcommands.h"
#include "compare/compare.h"
#include "util/message.h"
#include "util/style.h"

namespace msprobe::cli {

int api_precision_compare(const compare::CompareOptions& options) {
  compare::CompareReport report;
  try {
    report = compare::run(options);
  } catch (const compare::OutputError& error) {
    std::fprintf(stderr, "msprobe: error: %s\n", util::message_of(error).c_str());
    return kCouldNotFinish;
  }
  const bool brief = options.settings.verbosity < 0;
  std::fputs(
      compare::summary(report, brief, util::wants_colour(STDOUT_FILENO), util::terminal_width(STDOUT_FILENO)).c_str(),
      stdout);
  const std::string& fail_on = options.settings.fail_on;
  return !fail_on.empty() && compare::fails_on(report, fail_on) ? kFailOn : kOk;
}

}  // namespace msprobe::cli
