#include "run/acc_check.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "config/api_facts.h"
#include "config/chosen.h"
#include "config/standards.h"
#include "device/device.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "inputs/valid.h"
#include "plan/cost.h"
#include "plan/select.h"
#include "report/error_folder.h"
#include "report/result_files.h"
#include "report/terminal.h"
#include "run/dump_contents.h"
#include "run/dump_warnings.h"
#include "run/fail_on.h"
#include "run/files.h"
#include "run/go_on.h"
#include "run/list.h"
#include "run/origins.h"
#include "run/room_options.h"
#include "run/supervisor.h"
#include "util/count_of.h"
#include "util/error.h"
#include "util/message.h"
#include "util/one_line.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkersPerDevice = 8;

// Who did not ask for a part must know, also under -q, that the rest is not checked here.
void tell_part(const config::Settings& settings, size_t apis) {
  if (settings.shards == 1) return;
  const auto origin = settings.origin.find("shard");
  const bool asked = origin == settings.origin.end() || origin->second == "command line";
  spdlog::log(asked ? spdlog::level::info : spdlog::level::warn, "part {} of {}{}: {}", settings.shard, settings.shards,
              asked ? "" : fmt::format(", by {}; the rest is left to other processes", origin->second),
              util::count_of(apis, "API"));
}

// Figures are judged as they are written: 0.0004 with 3 digits is 0.
void warn_of_few_digits(int precision) {
  constexpr int kFewest = 8;
  if (precision >= kFewest) return;
  spdlog::warn(
      "precision: {} digits after the point round small figures away, and api_precision_compare may give other "
      "verdicts: {} or more keep them (14 are usual)",
      precision, kFewest);
}

void tell_start(const config::Settings& settings, const dump::Index& index, const plan::Selection& selection,
                const device::Choice& device) {
  tell_part(settings, selection.todo.size());
  warn_of_few_digits(settings.precision);
  for (const std::string& warning : device.warnings) spdlog::warn("{}", warning);
  for (const std::string& remark : device.remarks) spdlog::info("{}", remark);
  if (selection.alike > 0)
    spdlog::info("-f: left out since an earlier one differs in values alone: {}",
                 util::count_of(selection.alike, "API"));
  warn_of_orphans(index);
}

const char* end_text(pool::RunEnd end) {
  switch (end) {
    case pool::RunEnd::kInterrupted:
      return "interrupted";
    case pool::RunEnd::kStopped:
      return "stopped by --max-errors";
    default:
      return "the run could not finish";
  }
}

// How to go on with a run that did not finish.
Result cut_short(pool::RunEnd end, const report::ResultFiles& files, const options::Commands& commands) {
  if (fs::exists(files.result_path()) && fs::exists(files.details_path()))
    std::fprintf(stderr, "msprobe: %s; go on with\n  %s\n", end_text(end),
                 commands.resume_command(files.result_path()).c_str());
  else
    std::fprintf(stderr, "msprobe: %s, and its files are gone: start again\n", end_text(end));
  return end == pool::RunEnd::kInterrupted ? Result::kInterrupted : Result::kCouldNotFinish;
}

// Nothing is thrown once APIs run: what they came to is in the files.
pool::RunEnd run_apis(const Work& work, report::ResultFiles& files, report::Terminal& terminal) {
  try {
    return supervise(work, files, terminal);
  } catch (const Error& error) {
    std::fprintf(stderr, "msprobe: error: %s\n", util::message_of(error).c_str());
    return pool::RunEnd::kCouldNotFinish;
  }
}

Result check(config::Settings settings, const config::Standards& standards, const dump::Index& index,
             const goldens::Registry& goldens, const plan::Selection& selection, const options::Commands& commands) {
  const device::Choice device = device::choose(device_options(settings));  // what cannot run leaves no files behind
  settings.device_type = device.type;
  report::ErrorFolder error_folder(report_options(settings));
  report::ResultFiles files = open_files(settings, error_folder);
  log_beside(files, settings.verbosity);
  tell_start(settings, index, selection, device);
  const std::vector<size_t> todo =
      settings.result_csv_path.empty() ? selection.todo : left_to_do(settings, index, selection.todo, files);

  const places::Places places = places::Places::open(index.path());
  report::Terminal terminal(with_places(report_options(settings), settings, places), standards, todo.size());
  const std::string error_data_dir = report::error_folder(report_options(settings), files.timestamp());
  const pool::RunEnd end = run_apis({settings, standards, index, goldens, todo, error_data_dir}, files, terminal);
  terminal.summary(files.result_path(), files.details_path(), commands.repeat,
                   commands.rerun_command(files.result_path()),
                   settings.verbosity < 0 ? "" : beginnings_text(index, places));
  if (end != pool::RunEnd::kFinished) return cut_short(end, files, commands);
  if (settings.shards > 1 && selection.todo.empty()) return Result::kDone;  // a part without an API finds nothing
  return judged(files.result_path(), settings.fail_on);
}

Result list(const config::Settings& settings, const config::Standards& standards, const dump::Index& index,
            const goldens::Registry& goldens, const std::vector<size_t>& todo) {
  tell_part(settings, todo.size());
  list_apis(index, todo, settings, standards, goldens);
  index.check_unchanged();
  return Result::kDone;
}

}  // namespace

Result acc_check(const config::Settings& settings, const options::Commands& commands) {
  if (settings.fail_on == "suspect" && !settings.assesses())
    throw Error("--fail-on suspect", "this run assesses nothing, so that nothing could be a suspect",
                "set assess: true in the configuration, or take another level");
  const config::Standards standards = config::chosen_standards(settings);
  // An installation that lacks them, or names what this program does not know, is told before any worker asks.
  inputs::require_known_rules(config::installed_api_facts());
  plan::require_known_families(config::installed_api_facts());
  const dump::Index index = open_dump(settings.api_info);
  goldens::Registry goldens;
  config::naming_origin(settings, "fused_operators", settings.fused_operators,
                        [&] { goldens.load(settings.fused_operators); });
  warn_of_unknown_names(settings, index);
  warn_of_misspelt_goldens(index, goldens);
  const plan::Selection selection = plan::select(select_options(settings), index);
  index.check_unchanged();  // a record that could not be read is a row, or a line of the list, and no error yet
  if (selection.none_failed) {
    std::printf("%s: no API has error or warning there, and none was cut short: nothing is left to check again\n",
                util::one_line(settings.rerun_failed).c_str());
    return Result::kDone;
  }
  if (settings.list) return list(settings, standards, index, goldens, selection.todo);
  require_tensor_files(index);
  return check(settings, standards, index, goldens, selection, commands);
}

Result multi_acc_check(const config::Settings& settings, const options::Commands& commands) {
  const int devices = static_cast<int>(settings.devices.size()), most = kWorkersPerDevice * devices;
  if (settings.num_splits < devices)
    spdlog::warn("-n {}: {} of the {} devices of -d stay idle, a worker works on one: give -n {} or more",
                 settings.num_splits, devices - settings.num_splits, devices, devices);
  if (settings.num_splits <= most) return acc_check(settings, commands);
  config::Settings capped = settings;
  capped.num_splits = most;
  spdlog::warn("-n {}: a device takes {} workers at most, so {} are started on {}", settings.num_splits,
               kWorkersPerDevice, most, util::count_of(settings.devices.size(), "device"));
  return acc_check(capped, commands);
}

}  // namespace msprobe::run
