#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include "cli/exit_code.h"
#include "cli/fail_on.h"
#include "cli/list.h"
#include "cli/subcommands.h"
#include "cli/values.h"
#include "config/chosen.h"
#include "config/standards.h"
#include "device/device.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "plan/resume.h"
#include "plan/select.h"
#include "plan/shard.h"
#include "pool/signals.h"
#include "report/error_folder.h"
#include "report/file_names.h"
#include "report/result_files.h"
#include "report/terminal.h"
#include "run/room_options.h"
#include "run/supervisor.h"
#include "util/count_of.h"
#include "util/edit_distance.h"
#include "util/error.h"
#include "util/log.h"
#include "util/message.h"
#include "util/one_line.h"
#include "util/write_error.h"

namespace msprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkersPerDevice = 8;

/// A folder that can be written to, made when absent: found out before the first API, not after the last.
void check_folder(const std::string& path, const char* option) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error && !fs::is_directory(path)) {
    const std::string what = fmt::format("folder {} cannot be made: {}", path, error.message());
    if (util::wants_room(error.value())) throw WriteError(option, what, "free some space, or name another one");
    throw Error(option, what, "name another one");
  }
  if (access(path.c_str(), W_OK | X_OK) != 0)
    throw Error(option, fmt::format("folder {} cannot be written to", path), "name another one");
}

/// Parts of one run write side by side, each into a folder of its own.
std::string out_folder(const config::Settings& settings) {
  if (settings.shards == 1) return settings.out_path;
  return (fs::path(settings.out_path) / report::shard_folder(settings.shard, settings.shards)).string();
}

std::string log_path(const fs::path& folder, const std::string& timestamp) {
  return (folder / report::log_name(timestamp)).string();
}

// Users know the folder that a dump lies in better than the file.
void reject_folder(const std::string& path) {
  if (!fs::is_directory(path)) return;
  std::set<std::string> dumps;
  const auto look = [&](const fs::path& folder) {
    if (fs::is_regular_file(folder / "dump.json")) dumps.insert((folder / "dump.json").string());
  };
  std::error_code unreadable;
  look(path);
  for (const auto& step : fs::directory_iterator(path, unreadable)) {  // of the folder above: step*/rank*/dump.json
    if (!step.is_directory()) continue;
    look(step.path());
    for (const auto& rank : fs::directory_iterator(step.path(), unreadable))
      if (rank.is_directory()) look(rank.path());
  }
  throw Error(path, "is a folder, expected a dump.json",
              dumps.empty()       ? "give the dump.json of a step*/rank*/ folder"
              : dumps.size() == 1 ? "give " + *dumps.begin()
                                  : fmt::format("there are {} in it, the first is {}", dumps.size(), *dumps.begin()));
}

// A list that names nothing in the dump is most often a slip of the pen.
void warn_of_unknown_names(const config::Settings& settings, const dump::Index& index) {
  if (settings.white_list.empty() && settings.black_list.empty()) return;
  std::set<std::string> names;
  for (const dump::IndexEntry& entry : index.entries()) {
    const dump::ApiName name = dump::parse_api_name(entry.api);
    names.insert(name.name);
    names.insert(std::string(name.last()));
    names.insert(name.type + "." + name.name);
  }
  const std::vector<std::string> known(names.begin(), names.end());
  for (const auto& [list, items] :
       {std::pair("white_list", &settings.white_list), std::pair("black_list", &settings.black_list)})
    for (const std::string& item : *items)
      if (!names.contains(item))
        spdlog::warn("{}: {} is not in this dump{}", list, item, util::did_you_mean(item, known));
}

// A file of goldens serves many dumps, so that a name is absent means little; that one much like it is there tells
// more.
void warn_of_misspelt_goldens(const dump::Index& index, const goldens::Registry& goldens) {
  const std::set<std::string>& named = goldens.users_apis();
  if (named.empty()) return;
  std::set<std::string> names, unnamed;
  for (const dump::IndexEntry& entry : index.entries())
    names.insert(goldens::golden_name(dump::parse_api_name(entry.api)));
  std::set_difference(names.begin(), names.end(), named.begin(), named.end(), std::inserter(unnamed, unnamed.end()));
  const std::vector<std::string> known(unnamed.begin(), unnamed.end());
  for (const std::string& api : named)
    if (const auto meant = names.contains(api) ? std::nullopt : util::nearest(api, known))
      spdlog::warn("fused_operators: {} is not in this dump, did you mean {}?", api, *meant);
}

// The dumper's tasks and levels that record what a call can be made of.
void warn_of_foreign_kinds(const dump::Index& index) {
  const auto warn = [&](std::string_view key, const std::string& value, std::initializer_list<std::string_view> known) {
    if (!value.empty() && std::find(known.begin(), known.end(), value) == known.end())
      spdlog::warn("{}: {} is \"{}\", expected {}: the dump may not hold what APIs are checked by", index.path(), key,
                   value, fmt::join(known, " or "));
  };
  warn("task", index.task(), {"statistics", "tensor"});
  warn("level", index.level(), {"L1", "mix"});
}

// Who did not ask for a part must know, also under -q, that the rest is not checked here.
void tell_part(const config::Settings& settings, size_t apis) {
  if (settings.shards == 1) return;
  const auto origin = settings.origin.find("shard");
  const bool asked = origin == settings.origin.end() || origin->second == "command line";
  spdlog::log(asked ? spdlog::level::info : spdlog::level::warn, "part {} of {}{}: {}", settings.shard, settings.shards,
              asked ? "" : fmt::format(", by {}; the rest is left to other processes", origin->second),
              util::count_of(apis, "API"));
}

/// Figures are judged as they are written: 0.0004 with 3 digits is 0.
void warn_of_few_digits(int precision) {
  constexpr int kFewest = 8;
  if (precision >= kFewest) return;
  spdlog::warn(
      "precision: {} digits after the point round small figures away, and api_precision_compare may give other "
      "verdicts: {} or more keep them (14 are usual)",
      precision, kFewest);
}

int check(config::Settings settings, const Commands& commands) {
  const config::Standards standards = config::chosen_standards(settings);
  reject_folder(settings.api_info);
  const dump::Index index = dump::Index::open(settings.api_info);
  warn_of_foreign_kinds(index);
  goldens::Registry goldens;
  config::naming_origin(settings, "fused_operators", settings.fused_operators,
                        [&] { goldens.load(settings.fused_operators); });
  warn_of_unknown_names(settings, index);
  warn_of_misspelt_goldens(index, goldens);
  const plan::Selection selection = plan::select(settings, index);
  index.check_unchanged();  // a record that could not be read is a row, or a line of the list, and no error yet
  if (selection.none_failed) {
    std::printf("%s: no API has error or warning there, and none was cut short: nothing is left to check again\n",
                util::one_line(settings.rerun_failed).c_str());
    return kOk;
  }
  std::vector<size_t> todo = selection.todo;
  if (settings.list) {
    tell_part(settings, todo.size());
    const int code = list_apis(index, todo, settings, standards, goldens);
    index.check_unchanged();
    return code;
  }
  const device::Choice device = device::choose(settings);  // what cannot run leaves no files behind
  settings.device_type = device.type;

  const std::string folder = out_folder(settings);
  if (settings.save_data != config::SaveData::kNone) check_folder(settings.error_data_path, "error_data_path");
  pool::hold_signals();
  const bool resumed = !settings.result_csv_path.empty();
  report::ErrorFolder error_folder(run::report_options(settings));
  const auto claim = [&](const std::string& timestamp) {
    std::error_code unknown;
    return !fs::exists(fs::symlink_status(log_path(folder, timestamp), unknown)) && error_folder.claim(timestamp);
  };
  if (!resumed) check_folder(folder, "-o");
  report::ResultFiles files =
      resumed ? report::ResultFiles::resume(settings.result_csv_path, settings.precision)
              : report::ResultFiles::create(folder, report::timestamp_now(), settings.precision, claim);
  if (resumed) error_folder.go_on(files.timestamp());
  const fs::path result_path = files.result_path();
  util::init_log(settings.verbosity, log_path(result_path.parent_path(), files.timestamp()));
  tell_part(settings, todo.size());
  warn_of_few_digits(settings.precision);
  for (const std::string& warning : device.warnings) spdlog::warn("{}", warning);
  for (const std::string& remark : device.remarks) spdlog::info("{}", remark);
  if (selection.alike > 0)
    spdlog::info("-f: left out since an earlier one differs in values alone: {}",
                 util::count_of(selection.alike, "API"));
  if (!index.orphans().empty()) {
    const size_t n = index.orphans().size();
    spdlog::warn("{}: {} no forward entry and {} left out, the first is {}", index.path(),
                 n == 1 ? "1 backward entry has" : fmt::format("{} backward entries have", n), n == 1 ? "is" : "are",
                 index.orphans().front());
  }
  if (resumed) {
    const auto given_out = settings.origin.find("out_path");
    if (given_out != settings.origin.end() &&
        fs::weakly_canonical(folder) != fs::weakly_canonical(result_path.parent_path()))
      spdlog::warn("-o {}: not used, -csv_path goes on in the folder of its file, {}", settings.out_path,
                   fs::absolute(result_path).parent_path().string());
    todo = plan::remaining(index, todo, files);
    plan::check_options(settings, index, files);
    spdlog::info("{}: done {}, left {}", files.result_path(), util::count_of(files.done().size(), "API"), todo.size());
  }

  report::Terminal terminal(run::report_options(settings), standards, todo.size());
  pool::RunEnd end = pool::RunEnd::kCouldNotFinish;
  try {
    end = run::supervise(settings, standards, index, goldens, todo, files, terminal);
  } catch (const Error& error) {
    std::fprintf(stderr, "msprobe: error: %s\n", util::message_of(error).c_str());
  }
  terminal.summary(files.result_path(), files.details_path(), commands.repeat,
                   fmt::format("{} --rerun-failed {}", commands.repeat, shell_quoted(files.result_path())));
  if (end != pool::RunEnd::kFinished) {
    const char* what = end == pool::RunEnd::kInterrupted ? "interrupted"
                       : end == pool::RunEnd::kStopped   ? "stopped by --max-errors"
                                                         : "the run could not finish";
    if (fs::exists(files.result_path()) && fs::exists(files.details_path()))
      std::fprintf(stderr, "msprobe: %s; go on with\n  %s -csv_path %s\n", what, commands.resume.c_str(),
                   shell_quoted(files.result_path()).c_str());
    else
      std::fprintf(stderr, "msprobe: %s, and its files are gone: start again\n", what);
    return end == pool::RunEnd::kInterrupted ? kInterrupted : kCouldNotFinish;
  }
  if (settings.shards > 1 && selection.todo.empty()) return kOk;  // a part without an API finds nothing
  return !settings.fail_on.empty() && found(files.result_path(), settings.fail_on) ? kFailOn : kOk;
}

}  // namespace

int acc_check(const config::Settings& settings, const Commands& commands) {
  return check(settings, commands);
}

int multi_acc_check(const config::Settings& settings, const Commands& commands) {
  const int devices = static_cast<int>(settings.devices.size()), most = kWorkersPerDevice * devices;
  if (settings.num_splits < devices)
    spdlog::warn("-n {}: {} of the {} devices of -d stay idle, a worker works on one: give -n {} or more",
                 settings.num_splits, devices - settings.num_splits, devices, devices);
  if (settings.num_splits <= most) return check(settings, commands);
  config::Settings capped = settings;
  capped.num_splits = most;
  spdlog::warn("-n {}: a device takes {} workers at most, so {} are started on {}", settings.num_splits,
               kWorkersPerDevice, most, util::count_of(settings.devices.size(), "device"));
  return check(capped, commands);
}

}  // namespace msprobe::cli
