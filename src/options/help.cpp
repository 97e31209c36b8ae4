#include "options/help.h"

#include <fmt/format.h>

#include "options/exit_code.h"

namespace msprobe::options {
namespace {

constexpr size_t kTextColumn = 36;

std::string option_line(const Option& option) {
  const std::string usage = usage_of(option);
  std::string text(option.help);
  if (!option.initial.empty()) text += fmt::format(" [{}]", option.initial);
  return usage.size() + 4 > kTextColumn ? fmt::format("  {}\n{:{}}{}\n", usage, "", kTextColumn, text)
                                        : fmt::format("  {:<{}}{}\n", usage, kTextColumn - 2, text);
}

}  // namespace

std::string usage_of(const Option& option) {
  if (option.positional) return std::string(option.value);
  std::string names;
  bool same = false;  // -save_error_data: its documented spelling is the long name behind one dash
  for (std::string_view alias : option.aliases) {
    names += (names.empty() ? "" : ", ") + std::string(alias);
    same |= alias.substr(1) == option.name.substr(2);
  }
  if (!same) names += (names.empty() ? "" : ", ") + std::string(option.name);
  return option.value.empty() ? names : fmt::format("{} {}", names, option.value);
}

std::vector<ExitInfo> exit_codes(Command command) {
  switch (command) {
    case Command::kApis:
      return {{kOk, "finished", "whatever is listed"}, {kUsage, "bad usage", "an expression that is none"}};
    case Command::kOverview:
      return {{kOk, "finished", "whatever was found"},
              {kUsage, "bad usage or input", "no such dump.json: nothing was shown"},
              {kCouldNotFinish, "could not finish", "one of several dumps cannot be read"}};
    case Command::kMerge:
      return {{kOk, "finished", "all parts are joined"},
              {kFailOn, "finished, --fail-on found", "an error with --fail-on error"},
              {kUsage, "bad usage or input", "a part is missing: nothing was written"},
              {kCouldNotFinish, "could not finish", "the disk is full"}};
    case Command::kDiff:
      return {{kOk, "finished", "whatever changed"},
              {kFailOn, "finished, --fail-on found", "a pass that is an error now"},
              {kUsage, "bad usage or input", "no result in a folder: nothing was compared"},
              {kCouldNotFinish, "could not finish", "the disk is full"}};
    case Command::kPrecisionCompare:
      return {{kOk, "finished", "whatever the verdicts"},
              {kFailOn, "finished, --fail-on found", "an error with --fail-on error"},
              {kUsage, "bad usage or input", "a column is missing: nothing was written"},
              {kCouldNotFinish, "could not finish", "the disk is full"}};
    default:
      return {{kOk, "finished", "whatever the verdicts"},
              {kFailOn, "finished, --fail-on found", "an error with --fail-on error"},
              {kUsage, "bad usage or input", "no such dump.json: nothing was run"},
              {kCouldNotFinish, "could not finish", "device lost, or --max-errors: rows are kept"},
              {kInterrupted, "interrupted", "Ctrl-C: go on with -csv_path"}};
  }
}

std::string help() {
  std::string text =
      "msprobe checks the accuracy of the PyTorch APIs that a training step called:\n"
      "each is run again on an NPU, GPU or CPU and compared with float64 on the CPU.\n\n";
  text += fmt::format("  {}\n\nSubcommands\n", commands()[0].usual);
  for (const CommandInfo& command : commands()) text += fmt::format("  {:<24}{}\n", command.name, command.summary);
  text +=
      "\n"
      "msprobe SUBCOMMAND -h shows its options. msprobe --version shows version,\n"
      "commit, LibTorch and the devices found. The older form with the framework,\n"
      "msprobe -f pytorch acc_check ..., is understood.\n\n"
      "Exit code: 0 done, 1 --fail-on met, 2 bad usage or input, 3 could not finish,\n"
      "130 interrupted.\n";
  return text;
}

std::string help(Command command) {
  const CommandInfo& about = info(command);
  std::string text = fmt::format("{}\n\n  {}\n", about.summary, about.usual);
  for (std::string_view example : about.examples) text += fmt::format("  {}\n", example);
  std::string_view group;
  for (const Option* option : options_of(command)) {
    if (option->group != group) {
      group = option->group;
      text += fmt::format("\n{}\n", group);
    }
    text += option_line(*option);
  }
  text += "\nExit code\n";
  for (const ExitInfo& exit : exit_codes(command))
    text += fmt::format("  {:<4}{:<28}{}\n", exit.code, exit.meaning, exit.example);
  return text;
}

}  // namespace msprobe::options
