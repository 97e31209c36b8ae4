// What it costs that APIs run in processes of their own, and what several of these gain: the APIs of a BERT training
// step, rows written to files. Small APIs: some 0.1 to 0.2 ms each. Loading LibTorch, once a program, is not in it.
#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <utility>

#include "check/execute.h"
#include "pool/pool.h"
#include "report/result_files.h"
#include "support/temp_folder.h"

namespace msprobe {
namespace {

using check::Check;
using check::Session;

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  double seconds = 0;
  for (const timeval& t : {usage.ru_utime, usage.ru_stime})
    seconds += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  return seconds;
}

/// The first `apis` of the dump's APIs, over and over.
struct Run {
  explicit Run(benchmark::State& state) : apis(static_cast<size_t>(state.range(0))) {
    spdlog::set_level(spdlog::level::err);
    settings.device_type = "cpu";
    here = cpu_seconds(RUSAGE_SELF);
    in_workers = cpu_seconds(RUSAGE_CHILDREN);
  }

  size_t entry(size_t job) const { return job % index.entries().size(); }
  report::ResultFiles files() const {
    return report::ResultFiles::create(folder.string(), report::timestamp_now(), 14);
  }

  void report(benchmark::State& state) const {
    const auto n = static_cast<double>(state.iterations()) * static_cast<double>(apis);
    state.SetItemsProcessed(static_cast<int64_t>(n));
    state.counters["us_here"] = 1e6 * (cpu_seconds(RUSAGE_SELF) - here) / n;
    state.counters["us_in_workers"] = 1e6 * (cpu_seconds(RUSAGE_CHILDREN) - in_workers) / n;
  }

  const size_t apis;
  config::Settings settings;
  config::Standards standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  dump::Index index = dump::Index::open(MSPROBE_TEST_DATA "/bench/step0/rank0/dump.json");
  goldens::Registry goldens;
  const support::TempFolder folder{support::memory_folder()};
  double here, in_workers;
};

// What a worker holds while it lives.
struct Equipment {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<Session> session;
  std::unique_ptr<Check> check;
};

/// APIs: range(0); workers, of one thread each: range(1). Stands before BM_InOneProcess, while this process may still
/// fork: no operator has run in it.
void BM_WithWorkers(benchmark::State& state) {
  Run run(state);
  for (auto _ : state) {
    auto files = run.files();
    pool::PoolOptions options;
    options.places.assign(static_cast<size_t>(state.range(1)), {0});
    options.count = run.apis;
    options.name = [&](size_t job) { return std::string(run.index.entries()[run.entry(job)].api); };
    options.in_child = [&] { files.close_in_child(); };
    options.open = [&](const pool::Place&) {
      at::set_num_threads(1);
      auto held = std::make_shared<Equipment>();
      held->device = device::open({.type = "cpu"}, 0);
      held->session.reset(new Session{check::Options{}, run.standards, run.index, run.goldens, *held->device});
      pool::Checker checker;
      checker.rebuild = [&run, held](size_t job) {
        held->check = std::make_unique<Check>(*held->session, run.entry(job));
      };
      checker.check = [held](size_t) { return std::exchange(held->check, nullptr)->run(); };
      return checker;
    };
    options.write = [&](const outcome::ApiOutcome& outcome) { return files.append(outcome), true; };
    if (pool::run_pool(options).written != run.apis) state.SkipWithError("the run did not finish");
  }
  run.report(state);
}
BENCHMARK(BM_WithWorkers)
    ->ArgNames({"APIs", "workers"})
    ->ArgsProduct({{2000, 20000}, {1, 2, 4}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_InOneProcess(benchmark::State& state) {
  Run run(state);
  at::set_num_threads(1);
  const auto device = device::open({.type = "cpu"}, 0);
  const Session session{check::Options{}, run.standards, run.index, run.goldens, *device};
  for (auto _ : state) {
    auto files = run.files();
    for (size_t i = 0; i < run.apis; ++i) files.append(check::check_api(session, run.entry(i)));
  }
  run.report(state);
}
BENCHMARK(BM_InOneProcess)->ArgName("APIs")->Arg(2000)->Arg(20000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace msprobe

BENCHMARK_MAIN();
