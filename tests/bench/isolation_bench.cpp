// What it costs that APIs run in a process of their own: the APIs of a BERT training step, rows written to files, by
// one process alone and by a supervisor with a worker. Small APIs: about 0.1 ms each.
#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>

#include "report/result_files.h"
#include "run/execute.h"
#include "run/pool.h"

namespace msprobe::run {
namespace {

constexpr size_t kRounds = 150;  // through the dump: the start of a worker, some 30 ms, counts for little then

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  double seconds = 0;
  for (const timeval& t : {usage.ru_utime, usage.ru_stime})
    seconds += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  return seconds;
}

struct Run {
  Run() {
    spdlog::set_level(spdlog::level::err);
    settings.device_type = "cpu";
    std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm/isolation_XXXXXX" : "isolation_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder = pattern;
    here = cpu_seconds(RUSAGE_SELF);
    workers = cpu_seconds(RUSAGE_CHILDREN);
  }
  ~Run() { std::filesystem::remove_all(folder); }

  size_t apis() const { return kRounds * index.entries().size(); }
  report::ResultFiles files() const { return report::ResultFiles::create(folder, report::timestamp_now(), 14); }

  void report(benchmark::State& state) const {
    const auto n = static_cast<double>(state.iterations()) * static_cast<double>(apis());
    state.SetItemsProcessed(static_cast<int64_t>(n));
    state.counters["us_here"] = 1e6 * (cpu_seconds(RUSAGE_SELF) - here) / n;
    state.counters["us_in_worker"] = 1e6 * (cpu_seconds(RUSAGE_CHILDREN) - workers) / n;
  }

  config::Settings settings;
  config::Standards standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  dump::Index index = dump::Index::open(MSPROBE_TEST_DATA "/bench/step0/rank0/dump.json");
  std::string folder;
  double here, workers;
};

/// First, while this process may still fork: no operator has run in it.
void BM_WithAWorker(benchmark::State& state) {
  Run run;
  for (auto _ : state) {
    auto files = run.files();
    PoolOptions options;
    options.places = {{0}};
    options.count = run.apis();
    options.name = [&](size_t job) { return std::string(run.index.entries()[job % run.index.entries().size()].api); };
    options.in_child = [&] { files.close_in_child(); };
    options.open = [&](const Place&) {
      at::set_num_threads(1);
      auto device = std::make_shared<std::unique_ptr<device::Device>>(device::open(run.settings, 0));
      auto session = std::make_shared<Session>(Session{run.settings, run.standards, run.index, **device, ""});
      Checker checker;
      checker.check = [&run, device, session](size_t job) {
        return check_api(*session, job % run.index.entries().size());
      };
      return checker;
    };
    options.write = [&](const metrics::ApiOutcome& outcome) { return files.append(outcome), true; };
    if (run_pool(options).written != run.apis()) state.SkipWithError("the run did not finish");
  }
  run.report(state);
}
BENCHMARK(BM_WithAWorker)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_InOneProcess(benchmark::State& state) {
  Run run;
  at::set_num_threads(1);
  const auto device = device::open(run.settings, 0);
  const Session session{run.settings, run.standards, run.index, *device, ""};
  for (auto _ : state) {
    auto files = run.files();
    for (size_t i = 0; i < run.apis(); ++i) files.append(check_api(session, i % run.index.entries().size()));
  }
  run.report(state);
}
BENCHMARK(BM_InOneProcess)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace msprobe::run

BENCHMARK_MAIN();
