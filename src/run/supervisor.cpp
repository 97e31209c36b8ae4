#include "run/supervisor.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

#include "plan/cost.h"
#include "plan/resume.h"
#include "pool/checker.h"
#include "pool/pool.h"
#include "run/go_on.h"
#include "run/threads.h"
#include "run/worker.h"
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

// Writes the rows, and stops the run behind the last error that it may have.
class Writer {
 public:
  Writer(const dump::Index& index, size_t apis, int64_t max_errors, report::ResultFiles& files)
      : index_(index), files_(files), apis_(apis), max_errors_(max_errors) {}

  /// False: the run is to end.
  bool write(const ApiOutcome& outcome) {
    // A dump that was changed makes all that are left a SKIP: the run ends instead, and can go on with the dump as it
    // was.
    if (outcome.forward == Status::kSkip) index_.check_unchanged();
    files_.append(outcome);
    ++written_;
    errors_ += outcome.forward == Status::kError || outcome.backward == Status::kError;
    if (max_errors_ <= 0 || errors_ < max_errors_ || written_ == apis_) return true;
    spdlog::warn("stopped after {} with errors (--max-errors), {} of {} were checked", util::count_of(errors_, "API"),
                 written_, apis_);
    stopped_ = true;
    return false;
  }
  size_t written() const { return written_; }
  bool stopped() const { return stopped_; }

 private:
  const dump::Index& index_;
  report::ResultFiles& files_;
  size_t apis_, written_ = 0;
  int64_t max_errors_, errors_ = 0;
  bool stopped_ = false;
};

// Which jobs there are, by whom and how long they may take.
pool::PoolOptions pool_options(const Work& work, const plan::CostModel& costs) {
  const config::Settings& settings = work.settings;
  pool::PoolOptions options;
  options.places = places(settings, work.todo.size());
  if (settings.device_type != "cpu") options.device_type = settings.device_type;
  options.count = work.todo.size();
  options.name = [&work](size_t job) { return std::string(work.index.entries()[work.todo[job]].api); };
  options.cost = [&costs](size_t job) { return costs.cost(job); };
  options.timeout = settings.timeout;
  options.open_timeout = settings.timeout > 0 ? std::max(settings.timeout, kLeastOpenTimeout) : 0;
  return options;
}

void tell_workers(size_t workers, int threads) {
  if (const std::string variable = util::bound_by(); !variable.empty())
    spdlog::warn("{}: OpenMP binds this process and its workers to {}; unset it", variable,
                 workers > 1 ? "one core, which they would share" : "one core");
  spdlog::debug("{}, {}", util::count_of(workers, "worker"), util::count_of(threads, "CPU thread"));
}

const char* signal_name(int number) {
  return number == SIGINT ? "Ctrl-C" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

// The files are put on the disk; what went wrong, or was not reached, is said.
pool::RunEnd conclude(pool::PoolResult result, const Writer& writer, size_t apis, report::ResultFiles& files) {
  if (writer.stopped() && result.end == pool::RunEnd::kFinished) result.end = pool::RunEnd::kStopped;
  try {
    files.sync();
  } catch (const Error& e) {
    if (result.error.empty()) result.error = e.what();
    result.end = pool::RunEnd::kCouldNotFinish;
  }
  if (!result.error.empty()) spdlog::error("{}", result.error);
  if (result.end == pool::RunEnd::kInterrupted)
    spdlog::warn("{} after {} of {}", signal_name(result.signal), result.written, util::count_of(apis, "API"));
  return result.end;
}

}  // namespace

pool::RunEnd supervise(const Work& work, report::ResultFiles& files, report::Terminal& terminal) {
  const config::Settings& settings = work.settings;
  const size_t apis = work.todo.size();
  plan::check_done_against(work.index, work.todo, files);
  const plan::CostModel costs(work.index, work.todo);
  pool::PoolOptions options = pool_options(work, costs);
  const size_t workers = options.places.size();
  Threads threads(settings, costs, workers > 1);
  record_options(settings, threads.most(), work.index, files.done().size() + apis, files);
  tell_workers(workers, threads.most());

  Writer writer(work.index, apis, settings.max_errors, files);
  options.open = [&](const pool::Place& place) { return open_checker(work, threads, place); };
  options.write = [&](const ApiOutcome& outcome) { return writer.write(outcome); };
  options.tell = [&](const ApiOutcome& outcome) { terminal.done(outcome, costs.fraction(writer.written())); };
  options.tick = [&] { terminal.tick(); };
  options.in_child = [&] { files.close_in_child(); };
  pool::PoolResult result = pool::run_pool(options);
  // No worker lives any more; a killed one may have been saving.
  if (settings.save_data != config::SaveData::kNone) util::remove_unfinished(work.error_data_dir);
  return conclude(std::move(result), writer, apis, files);
}

}  // namespace msprobe::run
