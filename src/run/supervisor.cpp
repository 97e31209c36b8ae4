#include "run/supervisor.h"

#include <ATen/Parallel.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "check/error_text.h"
#include "check/execute.h"
#include "device/device.h"
#include "plan/cost.h"
#include "plan/resume.h"
#include "pool/checker.h"
#include "pool/cpu_budget.h"
#include "pool/pool.h"
#include "report/error_folder.h"
#include "run/room_options.h"
#include "util/atomic_file.h"
#include "util/cores.h"
#include "util/count_of.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

using outcome::ApiOutcome;
using outcome::Status;

constexpr size_t kMostWorkers = 64;
constexpr size_t kMostWorkersOfADevice = 8;
constexpr double kLeastOpenTimeout = 120;  // seconds; a device's first context takes its time

std::vector<pool::Place> places(const config::Settings& settings, size_t apis) {
  const std::vector<int> devices = settings.devices.empty() ? std::vector<int>{0} : settings.devices;
  size_t n = std::max<size_t>(1, static_cast<size_t>(std::max(1, settings.num_splits)));
  n = std::min({n, kMostWorkers, kMostWorkersOfADevice * devices.size(), std::max<size_t>(1, apis)});
  std::vector<pool::Place> all;
  for (size_t i = 0; i < n; ++i) all.push_back({devices[i % devices.size()]});
  return all;
}

// CPU threads for each API of a run.
class Threads {
 public:
  Threads(const config::Settings& settings, const plan::CostModel& costs, bool shared)
      : costs_(costs),
        budget_(settings.threads > 0 ? settings.threads : util::usable_cores()),
        // MindStudio's tool leaves PyTorch its threads, and its figures are to be met to the last bit.
        all_(settings.profile == config::Profile::kMindstudio),
        shared_(shared) {}

  int most() const { return budget_.threads(); }

  /// In a worker, before an API is begun: waits for its threads.
  void prepare(std::optional<size_t> job) {
    prepared_ = job;
    const int fit = job ? pool::threads_for(costs_.cost(*job), most()) : 1;
    if (job) count_ = all_ ? most() : fit;
    if (shared_) budget_.take(fit, kPatience);
  }

  /// Sets the threads of the calling thread.
  void use(size_t job) {
    if (job != prepared_) prepare(job);
    if (count_ != std::exchange(set_, count_)) at::set_num_threads(count_);
  }

  void done() { budget_.give_back(); }

 private:
  static constexpr double kPatience = 2;  // seconds: then the cores are shared

  const plan::CostModel& costs_;
  pool::CpuBudget budget_;
  bool all_, shared_;
  std::optional<size_t> prepared_;
  int count_ = 1, set_ = 0;
};

// What a worker holds while it lives.
struct Equipment {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<check::Session> session;
  std::unique_ptr<check::Check> check;  // of the job at hand
};

pool::Checker open_checker(const config::Settings& settings, const config::Standards& standards,
                           const dump::Index& index, const goldens::Registry& goldens, const std::vector<size_t>& todo,
                           const std::string& error_data_dir, Threads& threads, const pool::Place& place) {
  at::set_num_threads(1);
  auto held = std::make_shared<Equipment>();
  held->device = device::open(settings, place.device);
  held->session.reset(
      new check::Session{settings, standards, index, goldens, *held->device, error_data_dir, place.stage});
  std::vector<std::string_view> apis;
  for (size_t i : todo) apis.push_back(index.entries()[i].api);
  goldens.start_python_for(apis);
  pool::Checker checker;
  checker.description = held->device->describe();
  checker.prepare = [&threads](std::optional<size_t> job) { threads.prepare(job); };
  checker.rebuild = [held, &todo, &threads](size_t job) {
    threads.use(job);
    held->check = std::make_unique<check::Check>(*held->session, todo[job]);
  };
  checker.check = [held, &threads](size_t) {
    // Gone also after an exception, and its tensors with it: whether their files have changed is known then.
    std::unique_ptr<check::Check> check = std::move(held->check);
    ApiOutcome outcome = check->run();
    check.reset();
    threads.done();
    return outcome;
  };
  checker.healthy = [held] {
    try {
      held->device->synchronize();
      return true;
    } catch (...) {
      spdlog::warn("device lost: {}", check::describe_error(std::current_exception()).text);
      return false;
    }
  };
  return checker;
}

const char* signal_name(int number) {
  return number == SIGINT ? "Ctrl-C" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

void settle_options(config::Settings settings, int threads, const dump::Index& index, size_t apis,
                    report::ResultFiles& files) {
  settings.threads = threads;  // what "all cores" was
  const std::string now = plan::option_record(settings, index, apis), then = files.options();
  if (!files.dropped().empty())
    spdlog::info("{}: the rows of {} are made again, from {} on", files.result_path(),
                 util::count_of(files.dropped().size(), "API"), files.dropped().front());
  if (then.empty()) {
    if (!settings.result_csv_path.empty())
      spdlog::warn(
          "{}: the options of the interrupted run are lost (was the file copied?); they could not be compared with "
          "these",
          files.result_path());
    files.set_options(now);
    return;
  }
  for (const auto& difference : plan::option_differences(then, now))
    if (difference.key != "apis")
      spdlog::warn("{}: this run goes on with other options than it was begun with: {}", files.result_path(),
                   difference.text());
  files.set_options(plan::with_option(then, "apis", std::to_string(apis)));  // merge asks for so many rows
}

}  // namespace

pool::RunEnd supervise(const config::Settings& settings, const config::Standards& standards, const dump::Index& index,
                       const goldens::Registry& goldens, const std::vector<size_t>& todo, report::ResultFiles& files,
                       report::Terminal& terminal) {
  plan::check_done_against(index, todo, files);
  const plan::CostModel costs(index, todo);
  const std::string error_data_dir = report::error_folder(report_options(settings), files.timestamp());

  size_t written = 0;
  int64_t errors = 0;
  bool stopped = false;
  pool::PoolOptions options;
  options.places = places(settings, todo.size());
  Threads threads(settings, costs, options.places.size() > 1);
  settle_options(settings, threads.most(), index, files.done().size() + todo.size(), files);
  if (settings.device_type != "cpu") options.device_type = settings.device_type;
  options.count = todo.size();
  options.name = [&](size_t job) { return std::string(index.entries()[todo[job]].api); };
  options.cost = [&](size_t job) { return costs.cost(job); };
  options.open = [&](const pool::Place& place) {
    return open_checker(settings, standards, index, goldens, todo, error_data_dir, threads, place);
  };
  options.write = [&](const ApiOutcome& outcome) {
    // A dump that was changed makes all that are left a SKIP: the run ends instead, and can go on with the dump as it
    // was.
    if (outcome.forward == Status::kSkip) index.check_unchanged();
    files.append(outcome);
    ++written;
    errors += outcome.forward == Status::kError || outcome.backward == Status::kError;
    if (settings.max_errors <= 0 || errors < settings.max_errors) return true;
    if (written == todo.size()) return true;
    spdlog::warn("stopped after {} with errors (--max-errors), {} of {} were checked", util::count_of(errors, "API"),
                 written, todo.size());
    stopped = true;
    return false;
  };
  options.tell = [&](const ApiOutcome& outcome) { terminal.done(outcome, costs.fraction(written)); };
  options.tick = [&] { terminal.tick(); };
  options.in_child = [&] { files.close_in_child(); };
  options.timeout = settings.timeout;
  options.open_timeout = settings.timeout > 0 ? std::max(settings.timeout, kLeastOpenTimeout) : 0;
  if (const std::string variable = util::bound_by(); !variable.empty())
    spdlog::warn("{}: OpenMP binds this process and its workers to {}; unset it", variable,
                 options.places.size() > 1 ? "one core, which they would share" : "one core");
  spdlog::debug("{}, {}", util::count_of(options.places.size(), "worker"),
                util::count_of(threads.most(), "CPU thread"));

  pool::PoolResult result = pool::run_pool(options);
  // No worker lives any more; a killed one may have been saving.
  if (settings.save_data != config::SaveData::kNone) util::remove_unfinished(error_data_dir);
  if (stopped && result.end == pool::RunEnd::kFinished) result.end = pool::RunEnd::kStopped;
  try {
    files.sync();
  } catch (const Error& e) {
    if (result.error.empty()) result.error = e.what();
    result.end = pool::RunEnd::kCouldNotFinish;
  }
  if (!result.error.empty()) spdlog::error("{}", result.error);
  if (result.end == pool::RunEnd::kInterrupted)
    spdlog::warn("{} after {} of {}", signal_name(result.signal), result.written, util::count_of(todo.size(), "API"));
  return result.end;
}

}  // namespace msprobe::run
