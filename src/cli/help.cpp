#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace msprobe::cli {
namespace {

constexpr size_t kTextColumn = 36;

std::string option_line(const Option& option) {
  std::string names;
  for (std::string_view alias : option.aliases) {
    if (alias.substr(1) != option.name.substr(2)) names += fmt::format("{}, ", alias);
  }
  if (option.aliases.size() == 1 && option.aliases[0].substr(1) == option.name.substr(2)) {
    names += option.aliases[0];  // -save_error_data is its only documented spelling
  } else {
    names += option.name;
  }
  if (!option.value.empty()) names += fmt::format(" {}", option.value);
  std::string text(option.help);
  if (!option.initial.empty()) text += fmt::format(" [{}]", option.initial);
  return names.size() + 4 > kTextColumn ? fmt::format("  {}\n{:{}}{}\n", names, "", kTextColumn, text)
                                        : fmt::format("  {:<{}}{}\n", names, kTextColumn - 2, text);
}

std::string exit_codes(Command command) {
  std::string text = "Exit code\n";
  const auto line = [&](int code, std::string_view meaning, std::string_view example) {
    text += fmt::format("  {:<4}{:<28}{}\n", code, meaning, example);
  };
  if (command == Command::kApis) {
    line(0, "finished", "");
    line(2, "bad usage", "an expression that is none");
    return text;
  }
  if (command == Command::kPrecisionCompare) {
    line(0, "finished", "whatever the verdicts");
    line(2, "bad usage or input", "a column is missing: nothing was written");
    line(3, "could not finish", "the disk is full");
    return text;
  }
  line(0, "finished", "whatever the verdicts");
  line(1, "finished, --fail-on found", "an error with --fail-on error");
  line(2, "bad usage or input", "no such dump.json: nothing was run");
  line(3, "could not finish", "the device is lost: what was done is kept");
  line(130, "interrupted", "Ctrl-C: go on with -csv_path");
  return text;
}

}  // namespace

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
  return text + "\n" + exit_codes(command);
}

}  // namespace msprobe::cli
