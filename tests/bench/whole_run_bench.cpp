// A whole run without processes and files: every API of a dump of statistics (a BERT training step in float32, each
// optimizer call thrice) rebuilt, called on both sides, run backward and compared, one after the other.
#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>

#include <cstdio>

#include "check/execute.h"

namespace msprobe::check {
namespace {

using outcome::Status;

/// Threads of the CPU: range(0). items_per_second are APIs/s.
void BM_WholeRun(benchmark::State& state) {
  spdlog::set_level(spdlog::level::err);
  const int before = at::get_num_threads();
  at::set_num_threads(static_cast<int>(state.range(0)));
  config::Settings settings;
  settings.device_type = "cpu";
  const config::Standards standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  const dump::Index index = dump::Index::open(MSPROBE_TEST_DATA "/bench/step0/rank0/dump.json");
  const auto device = device::open({.type = "cpu"}, 0);
  const goldens::Registry goldens;
  const Session session{Options{}, standards, index, goldens, *device};
  const size_t apis = index.entries().size();
  size_t compared = 0, outputs = 0;
  for (auto _ : state) {
    compared = outputs = 0;
    for (size_t i = 0; i < apis; ++i) {
      const outcome::ApiOutcome outcome = check_api(session, i);
      compared +=
          outcome.forward == Status::kPass || outcome.forward == Status::kWarning || outcome.forward == Status::kError;
      outputs += outcome.rows.size();
    }
  }
  if (2 * compared < apis) state.SkipWithError("less than half of the APIs were compared: the figure means nothing");
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(apis));
  state.counters["APIs"] = static_cast<double>(apis);
  state.counters["compared"] = static_cast<double>(compared);
  state.counters["rows"] = static_cast<double>(outputs);
  at::set_num_threads(before);
}
BENCHMARK(BM_WholeRun)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace msprobe::check

BENCHMARK_MAIN();
