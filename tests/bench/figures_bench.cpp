// How fast the figures are, and how far from a loop that only reads both tensors.
//   figures_bench --benchmark_filter=Reading     the ratio, at 16M and 64M pairs, on one and two threads
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "config/standards.h"
#include "metrics/compare.h"

namespace {

using namespace msprobe;

const config::Standards& standards() {
  static const config::Standards s = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return s;
}

struct Pair {
  at::Tensor golden, device;
};

Pair make_pair(int64_t n, at::ScalarType golden, at::ScalarType device) {
  at::manual_seed(1);
  at::Tensor b = at::rand({n}, at::kFloat).mul_(2).sub_(1), noise = at::rand({n}, at::kFloat).mul_(1e-6).add_(1);
  return {b.to(golden), noise.mul_(b).to(device)};
}

outcome::Row figures(const Pair& pair, config::Profile profile) {
  outcome::Row row;
  metrics::compare_tensors(pair.golden, pair.device,
                           {.profile = profile,
                            .standards = standards(),
                            .quantization_apis = standards().quantization_apis,
                            .api = config::ApiNames("Torch", "softmax")},
                           row);
  return row;
}

double seconds(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reads every byte once, eight independent words at a time.
uint64_t read_all(const at::Tensor& t, int64_t begin, int64_t end) {
  const char* bytes = static_cast<const char*>(t.const_data_ptr());
  uint64_t all[32] = {}, word[32];
  for (int64_t at = begin * t.element_size(); at + 256 <= end * t.element_size(); at += 256) {
    std::memcpy(word, bytes + at, sizeof word);
    for (int i = 0; i < 32; ++i) all[i] ^= word[i];
  }
  uint64_t result = 0;
  for (uint64_t x : all) result ^= x;
  return result;
}

void only_read(const Pair& pair, int threads) {
  const int64_t n = pair.golden.numel(), piece = 1 << 16;
  std::vector<std::jthread> helpers;
  const auto part = [&](int number) {
    uint64_t all = 0;
    for (int64_t at = n / threads * number; at < n / threads * (number + 1); at += piece) {
      const int64_t end = std::min(at + piece, n / threads * (number + 1));
      all ^= read_all(pair.golden, at, end) ^ read_all(pair.device, at, end);
    }
    benchmark::DoNotOptimize(all);
  };
  for (int i = 1; i < threads; ++i) helpers.emplace_back(part, i);
  part(0);
}

/// Seconds of the figures; counters: GB/s of both, and how many times longer the figures take (fastest of each).
void FiguresAgainstReading(benchmark::State& state) {
  const int64_t n = state.range(0) << 20;
  const int threads = static_cast<int>(state.range(1));
  at::set_num_threads(threads);
  const Pair pair = make_pair(n, at::kDouble, at::kFloat);
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  double fastest_figures = 1e9, fastest_read = 1e9;
  for (auto _ : state) {
    const double spent = seconds([&] { benchmark::DoNotOptimize(figures(pair, config::Profile::kDocumented)); });
    fastest_figures = std::min(fastest_figures, spent);
    fastest_read = std::min(fastest_read, seconds([&] { only_read(pair, threads); }));
    state.SetIterationTime(spent);
  }
  getrusage(RUSAGE_SELF, &after);
  const double bytes = static_cast<double>(n) * 12;
  state.counters["figures_GB/s"] = bytes / fastest_figures / 1e9;
  state.counters["read_GB/s"] = bytes / fastest_read / 1e9;
  state.counters["times_longer"] = fastest_figures / fastest_read;
  state.counters["extra_memory_%"] = static_cast<double>(after.ru_maxrss - before.ru_maxrss) * 1024 / bytes * 100;
}
BENCHMARK(FiguresAgainstReading)
    ->ArgNames({"Mi_pairs", "threads"})
    ->ArgsProduct({{16, 64}, {1, 2}})
    ->UseManualTime()
    ->Iterations(12)
    ->Unit(benchmark::kMillisecond);

void run_pair(benchmark::State& state, int64_t n, at::ScalarType golden, at::ScalarType device, config::Profile profile,
              double special = 0) {
  at::set_num_threads(1);
  Pair pair = make_pair(n, golden, device);
  if (special > 0) {
    const at::Tensor mask = at::rand({n}, at::kFloat) < special;
    pair.golden.masked_fill_(mask, -INFINITY);
    pair.device.masked_fill_(mask, -INFINITY);
  }
  for (auto _ : state) benchmark::DoNotOptimize(figures(pair, profile));
  state.SetItemsProcessed(state.iterations() * n);
}

constexpr auto kDocumented = config::Profile::kDocumented;
constexpr auto kMindstudio = config::Profile::kMindstudio;

/// What a small tensor costs in all, message and shape text included.
void Tiny(benchmark::State& state) {
  run_pair(state, state.range(0), at::kDouble, at::kFloat, kDocumented);
}
BENCHMARK(Tiny)->Arg(1)->Arg(8)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);
void TinyMindstudio(benchmark::State& state) {
  run_pair(state, state.range(0), at::kDouble, at::kFloat, kMindstudio);
}
BENCHMARK(TinyMindstudio)->Arg(1)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

constexpr int64_t kLarge = 4 << 20;
void Half(benchmark::State& s) {
  run_pair(s, kLarge, at::kDouble, at::kHalf, kDocumented);
}
void Bfloat16(benchmark::State& s) {
  run_pair(s, kLarge, at::kDouble, at::kBFloat16, kDocumented);
}
void Double(benchmark::State& s) {
  run_pair(s, kLarge, at::kDouble, at::kDouble, kDocumented);
}
void SingleGolden(benchmark::State& s) {
  run_pair(s, kLarge, at::kFloat, at::kBFloat16, kDocumented);
}
void MaskedWithInfinities(benchmark::State& s) {
  run_pair(s, kLarge, at::kDouble, at::kFloat, kDocumented, 0.3);
}
void Mindstudio(benchmark::State& s) {
  run_pair(s, kLarge, at::kDouble, at::kFloat, kMindstudio);
}
void MindstudioBfloat16(benchmark::State& s) {
  run_pair(s, kLarge, at::kFloat, at::kBFloat16, kMindstudio);
}
BENCHMARK(Half)->Unit(benchmark::kMillisecond);
BENCHMARK(Bfloat16)->Unit(benchmark::kMillisecond);
BENCHMARK(Double)->Unit(benchmark::kMillisecond);
BENCHMARK(SingleGolden)->Unit(benchmark::kMillisecond);
BENCHMARK(MaskedWithInfinities)->Unit(benchmark::kMillisecond);
BENCHMARK(Mindstudio)->Unit(benchmark::kMillisecond);
BENCHMARK(MindstudioBfloat16)->Unit(benchmark::kMillisecond);

/// Transposed against dense: one side is gathered.
void OneSideTransposed(benchmark::State& state) {
  at::set_num_threads(1);
  Pair pair = make_pair(kLarge, at::kDouble, at::kFloat);
  pair.golden = pair.golden.view({2048, 2048}).t();
  pair.device = pair.device.view({2048, 2048});
  for (auto _ : state) benchmark::DoNotOptimize(figures(pair, {}));
  state.SetItemsProcessed(state.iterations() * kLarge);
}
BENCHMARK(OneSideTransposed)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
