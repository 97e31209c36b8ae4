#include "cli/run.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cli/compat.h"
#include "cli/exit_code.h"
#include "cli/generate.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/subcommands.h"
#include "cli/version.h"
#include "config/chosen.h"
#include "pool/signals.h"
#include "util/log.h"
#include "util/mapped_range.h"
#include "util/message.h"
#include "util/standard_streams.h"
#include "util/write_error.h"

namespace msprobe::cli {
namespace {

int dispatch(const std::vector<std::string>& arguments) {
  const Front front = split_command(arguments);
  if (front.action == Front::Action::kHelp) {
    std::fputs(help().c_str(), stdout);
    return kOk;
  }
  if (front.action == Front::Action::kVersion) {
    std::fputs(version_text(front.arguments).c_str(), stdout);
    return kOk;
  }
  if (front.action == Front::Action::kGenerate) {
    std::fputs(generate(front.arguments[0]).c_str(), stdout);
    return kOk;
  }
  const Request request = parse(front.command, front.arguments, config::load_settings, std::getenv);
  if (request.help) {
    std::fputs(help(front.command).c_str(), stdout);
    return kOk;
  }
  if (request.show_config) {
    std::fputs(config::show(config::in_effect(request.settings)).c_str(), stdout);
    return kOk;
  }
  util::init_log(request.settings.verbosity);
  for (const std::string& warning : request.warnings) spdlog::warn("{}", warning);
  switch (front.command) {
    case Command::kAccCheck:
      return acc_check(request.settings, request.commands);
    case Command::kMultiAccCheck:
      return multi_acc_check(request.settings, request.commands);
    case Command::kPrecisionCompare:
      return api_precision_compare(request.compare);
    case Command::kMerge:
      return merge(request.parts, request.settings.out_path, request.settings.fail_on);
    case Command::kApis:
      return apis(request.settings);
  }
  return kOk;
}

int tell(const std::exception& error) {
  const bool ours = dynamic_cast<const Error*>(&error) != nullptr;
  std::fprintf(stderr, "msprobe: error: %s%s\n", ours ? "" : "unexpected: ", util::message_of(error).c_str());
  const bool bad_input = ours && dynamic_cast<const WriteError*>(&error) == nullptr &&
                         dynamic_cast<const ChangedError*>(&error) == nullptr;
  return bad_input ? kUsage : kCouldNotFinish;
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
  return code == kOk ? kCouldNotFinish : code;
}

}  // namespace msprobe::cli
