#include "cli/diff.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>

#include "config/chosen.h"
#include "diff/diff.h"
#include "diff/summary.h"
#include "util/error.h"
#include "util/style.h"

namespace msprobe::cli {

run::Result diff(const options::Request& request) {
  const config::Settings& settings = request.settings;
  diff::Options options;
  options.old_path = request.results[0];
  options.new_path = request.results[1];
  // Nothing is written unless it is asked for: the answer is short.
  if (settings.origin.contains("out_path")) options.out_path = settings.out_path;
  options.limits_path = config::installed_config("diff.yaml");
  options.limits = config::load_diff_limits(options.limits_path);
  options.standards = config::chosen_standards(settings);
  const diff::DiffReport report = diff::run(options);
  for (const std::string& warning : diff::warnings(report)) spdlog::warn("{}", warning);
  const std::string text = diff::summary(report, settings.verbosity < 0, util::wants_colour(STDOUT_FILENO),
                                         util::terminal_width(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  const bool failed = settings.fail_on == "worse" && diff::fails_on_worse(report);
  return failed ? run::Result::kFailed : run::Result::kDone;
}

}  // namespace msprobe::cli
