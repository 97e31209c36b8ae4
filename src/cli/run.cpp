#include "cli/run.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cli/api_precision_compare.h"
#include "cli/diff.h"
#include "cli/version.h"
#include "config/chosen.h"
#include "options/compat.h"
#include "options/exit_code.h"
#include "options/generate.h"
#include "options/help.h"
#include "options/parse.h"
#include "pool/signals.h"
#include "run/acc_check.h"
#include "run/apis.h"
#include "run/merge.h"
#include "run/overview.h"
#include "util/log.h"
#include "util/mapped_range.h"
#include "util/message.h"
#include "util/standard_streams.h"
#include "util/write_error.h"

namespace msprobe::cli {
namespace {

int exit_code(run::Result result) {
  switch (result) {
    case run::Result::kDone:
      return options::kOk;
    case run::Result::kFailed:
      return options::kFailOn;
    case run::Result::kCouldNotFinish:
      return options::kCouldNotFinish;
    case run::Result::kInterrupted:
      return options::kInterrupted;
  }
  return options::kCouldNotFinish;
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return options::kOk;
}

int subcommand(const options::Request& request) {
  const config::Settings& settings = request.settings;
  switch (request.command) {
    case options::Command::kAccCheck:
      return exit_code(run::acc_check(settings, request.commands));
    case options::Command::kMultiAccCheck:
      return exit_code(run::multi_acc_check(settings, request.commands));
    case options::Command::kPrecisionCompare:
      return exit_code(api_precision_compare(request));
    case options::Command::kMerge:
      return exit_code(run::merge(request.parts, settings.out_path, settings.fail_on));
    case options::Command::kDiff:
      return exit_code(diff(request));
    case options::Command::kOverview:
      return exit_code(run::overview(request.dumps, settings));
    case options::Command::kApis:
      run::apis(settings);
      break;
  }
  return options::kOk;
}

int dispatch(const std::vector<std::string>& arguments) {
  using Action = options::Front::Action;
  const options::Front front = options::split_command(arguments);
  if (front.action == Action::kHelp) return print(options::help());
  if (front.action == Action::kVersion) return print(version_text(front.arguments));
  if (front.action == Action::kGenerate) return print(options::generate(front.arguments[0]));
  const options::Request request = options::parse(front.command, front.arguments, config::load_settings, std::getenv);
  if (request.help) return print(options::help(front.command));
  if (request.show_config) return print(config::show(config::in_effect(request.settings)));
  util::init_log(request.settings.verbosity);
  for (const std::string& warning : request.warnings) spdlog::warn("{}", warning);
  return subcommand(request);
}

int tell(const std::exception& error) {
  const bool ours = dynamic_cast<const Error*>(&error) != nullptr;
  std::fprintf(stderr, "msprobe: error: %s%s\n", ours ? "" : "unexpected: ", util::message_of(error).c_str());
  const bool bad_input = ours && dynamic_cast<const WriteError*>(&error) == nullptr &&
                         dynamic_cast<const ChangedError*>(&error) == nullptr;
  return bad_input ? options::kUsage : options::kCouldNotFinish;
}

int guarded(const std::vector<std::string>& arguments) {
  try {
    const int code = dispatch(arguments);
    const auto lost = util::take_lost_file();
    return lost ? tell(*lost) : code;
  } catch (const std::exception& error) {
    // What was found in a file that was cut meanwhile is not what is wrong.
    const auto lost = util::take_lost_file();
    return tell(lost ? static_cast<const std::exception&>(*lost) : error);
  }
}

}  // namespace

int run(int argc, char** argv) {
  util::open_standard_streams();
  pool::end_on_signals();
  const int code = guarded(std::vector<std::string>(argv + (argc > 0), argv + argc));
  const std::string lost = util::stdout_failure();
  if (lost.empty()) return code;
  std::fprintf(stderr, "msprobe: error: stdout: %s\n", lost.c_str());
  return code == options::kOk ? options::kCouldNotFinish : code;
}

}  // namespace msprobe::cli
