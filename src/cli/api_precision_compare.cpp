#include "cli/api_precision_compare.h"

#include <unistd.h>

#include <cstdio>

#include "compare/compare.h"
#include "config/chosen.h"
#include "util/error.h"
#include "util/message.h"
#include "util/style.h"

namespace msprobe::cli {

run::Result api_precision_compare(const options::Request& request) {
  const config::Settings& settings = request.settings;
  if (settings.fail_on == "suspect" && settings.profile == config::Profile::kMindstudio)
    throw Error("--fail-on suspect", "precision_profile mindstudio suspects nothing",
                "take the documented profile, or --fail-on error");
  compare::CompareReport report;
  try {
    report = compare::run({request.npu_csv, request.gpu_csv, settings.out_path, settings.precision, settings.profile,
                           settings.threads, config::chosen_standards(settings)});
  } catch (const compare::OutputError& error) {
    std::fprintf(stderr, "msprobe: error: %s\n", util::message_of(error).c_str());
    return run::Result::kCouldNotFinish;
  }
  const bool brief = settings.verbosity < 0, coloured = util::wants_colour(STDOUT_FILENO);
  std::fputs(compare::summary(report, brief, coloured, util::terminal_width(STDOUT_FILENO)).c_str(), stdout);
  const bool failed = !settings.fail_on.empty() && compare::fails_on(report, settings.fail_on);
  return failed ? run::Result::kFailed : run::Result::kDone;
}

}  // namespace msprobe::cli
