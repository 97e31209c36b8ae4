#include "options/parse.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <set>

#include "options/compat.h"
#include "options/values.h"
#include "util/error.h"

namespace msprobe::options {
namespace {

constexpr int kMaxSplits = 64;
constexpr int kDefaultSplits = 8;

struct Given {
  const Option* option;
  std::vector<std::string> values;
};

/// The name that users know best: "-api_info", not "--api_info_file".
std::string_view known_as(const Option& option) {
  return option.aliases.empty() ? option.name : option.aliases[0];
}

/// Options in the order of the table, -config first: it decides what the others are put over.
std::vector<Given> read(Command command, const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  std::vector<std::pair<const Option*, CLI::Option*>> declared;
  for (const Option* option : options_of(command)) {
    CLI::Option* added = nullptr;
    if (option->takes == Takes::kNothing) {
      added = app.add_flag(std::string(option->name));
    } else {
      added = app.add_option(std::string(option->name))->expected(1)->take_all();
    }
    declared.emplace_back(option, added);
  }
  std::vector<std::string> reversed = canonical_arguments(command, arguments);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    throw Error("", error.what());
  }
  std::vector<Given> given;
  for (const auto& [option, added] : declared) {
    if (added->count() > 0) given.push_back({option, added->results()});
  }
  return given;
}

void apply(Request& request, const Given& given) {
  try {
    given.option->apply(request, given.values);
  } catch (const Error& error) {
    throw Error(std::string(known_as(*given.option)), error.message(), error.remedy());
  }
  if (!given.option->key.empty()) request.settings.origin[std::string(given.option->key)] = "command line";
}

/// The part that a launcher gives this process, when --shard does not say.
void shard_of_launcher(Request& request, const Environment& environment) {
  config::Settings& settings = request.settings;
  struct Launcher {
    const char *rank, *size, *remedy;
  };
  // Slurm's size is that of a step, which srun makes: the batch script itself has a rank, 0, and the size of the whole
  // allocation (SLURM_NTASKS), though it runs once. Kubernetes tells a pod its index, but not of how many.
  constexpr Launcher kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "set it to the number of processes"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "start msprobe with srun for a part a task"},
      {"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", "set it to the number of processes"}};
  for (const Launcher& launcher : kLaunchers) {
    const char* rank = environment(launcher.rank);
    if (!rank || !*rank) continue;
    const char* size = environment(launcher.size);
    if (!size || !*size) {
      request.warnings.push_back(
          fmt::format("{} is {}, but {} is not set: this process checks the whole dump; {}, or give --shard {}/N",
                      launcher.rank, rank, launcher.size, launcher.remedy, rank));
      continue;
    }
    try {
      std::tie(settings.shard, settings.shards) = shard(fmt::format("{}/{}", rank, size));
    } catch (const Error& error) {
      throw Error(fmt::format("{} and {}", launcher.rank, launcher.size), error.message(),
                  "or name the part with --shard i/n");
    }
    settings.origin["shard"] = launcher.rank;
    return;
  }
}

/// "msprobe acc_check -api_info dump.json -d 1": what was given, without `left_out` (names of the table).
std::string command_of(std::string_view subcommand, const std::vector<Given>& given,
                       const std::set<std::string_view>& left_out) {
  std::string command = fmt::format("msprobe {}", subcommand);
  for (const Given& g : given) {
    if (left_out.contains(g.option->name)) continue;
    command += fmt::format(" {}", known_as(*g.option));
    if (g.option->takes == Takes::kNothing) continue;
    for (const std::string& value : g.values) command += " " + shell_quoted(value);
  }
  return command;
}

Commands commands_of(Command command, const std::vector<Given>& given, const config::Settings& settings) {
  Commands commands;
  commands.repeat = command_of(info(Command::kAccCheck).name, given,
                               {"--result_csv_path", "--only", "--except", "--rerun-failed", "--filter_api", "--shard",
                                "--num_splits", "--fail-on", "--max-errors", "--quiet", "--verbose"});
  commands.resume = command_of(info(command).name, given, {"--result_csv_path"});
  const bool by_launcher =
      settings.shards > 1 && settings.origin.contains("shard") && settings.origin.at("shard") != "command line";
  if (by_launcher) commands.resume += fmt::format(" --shard {}/{}", settings.shard, settings.shards);
  return commands;
}

void check_results(const Request& request) {
  if (request.command != Command::kDiff || request.results.size() == 2) return;
  throw Error("", fmt::format("diff needs two results, OLD and NEW, found {}", request.results.size()),
              fmt::format("for example: {}", info(Command::kDiff).usual));
}

void check_required(Command command, const std::vector<Given>& given) {
  for (const Option* option : options_of(command)) {
    if (!option->required) continue;
    const bool there = std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.option == option; });
    if (!there) {
      const std::string name = option->positional ? "" : fmt::format("{} ", known_as(*option));
      throw Error("", fmt::format("{} needs {}{}", info(command).name, name, option->value),
                  fmt::format("for example: {}", info(command).usual));
    }
  }
}

}  // namespace

Request parse(Command command, const std::vector<std::string>& arguments, const SettingsLoader& load,
              const Environment& environment) {
  Request request;
  request.command = command;
  const std::vector<Given> given = read(command, arguments);
  const auto is_given = [&](std::string_view name) {
    return std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.option->name == name; });
  };
  request.help = is_given("--help");
  if (request.help) return request;
  if (!is_given("--show-config")) check_required(command, given);

  for (const Given& g : given) {
    if (g.option->name == "--config_path") apply(request, g);
  }
  request.settings = load(request.config_path);
  config::Settings& settings = request.settings;
  if (command == Command::kMultiAccCheck) settings.num_splits = kDefaultSplits;
  for (const Given& g : given) {
    if (g.option->name != "--config_path") apply(request, g);
  }
  check_results(request);
  if (command == Command::kAccCheck)
    settings.num_splits = std::min<int>(kMaxSplits, static_cast<int>(settings.devices.size()));
  const bool checks = command == Command::kAccCheck || command == Command::kMultiAccCheck;
  if (checks && !is_given("--shard")) shard_of_launcher(request, environment);
  if (checks) request.commands = commands_of(command, given, settings);
  return request;
}

}  // namespace msprobe::options
