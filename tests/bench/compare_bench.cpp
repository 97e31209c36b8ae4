// api_precision_compare on large files: 10^6 rows a side should take less than 5 s and 1 GB.
#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "compare/compare.h"
#include "report/csv_writer.h"
#include "support/temp_folder.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

namespace fs = std::filesystem;

const char* const kApis[] = {"Torch.mul", "Torch.matmul", "Functional.softmax", "Functional.conv2d",
                             "Functional.layer_norm"};

/// Three outputs an API, all figures there; a tenth of the outputs fail.
void write_details(const std::string& path, int64_t rows, double factor) {
  std::ofstream file(path, std::ios::binary);
  file << "\xEF\xBB\xBF" << report::csv_row(report::details_header());
  for (int64_t i = 0; i < rows; ++i) {
    outcome::ApiOutcome outcome;
    outcome::Row row;
    row.name =
        std::string(kApis[(i / 3) % 5]) + "." + std::to_string(i / 3) + ".forward.output." + std::to_string(i % 3);
    row.bench_dtype = "torch.float64";
    row.device_dtype = i % 2 ? "torch.float32" : "torch.bfloat16";
    row.shape = "(4, 16, 1024)";
    row.status = outcome::Status::kPass;
    for (int f = 0; f < outcome::kFigureCount; ++f)
      row.figures[static_cast<size_t>(f)] = std::abs(std::sin(static_cast<double>(i + f))) * (i % 10 ? 1 : factor);
    row[Figure::kBinaryErrorRate].reset();
    if (i % 10)
      for (const Figure f :
           {Figure::kInfNanErrorRate, Figure::kRelativeErrorRate, Figure::kAbsoluteErrorRate, Figure::kUlpShare})
        row[f] = 0;
    outcome.rows.push_back(std::move(row));
    file << report::details_lines(outcome, 14);
  }
}

void BM_Compare(benchmark::State& state) {
  const support::TempFolder folder;
  Options options;
  options.npu_csv = folder / "npu.csv";
  options.gpu_csv = folder / "gpu.csv";
  options.out_path = folder / "out";
  options.standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  write_details(options.npu_csv, state.range(0), 20);
  write_details(options.gpu_csv, state.range(0), 1);
  spdlog::set_level(spdlog::level::err);
  for (auto _ : state) {
    benchmark::DoNotOptimize(run(options).failing_apis);
    state.PauseTiming();
    fs::remove_all(options.out_path);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(BM_Compare)->Arg(10000)->Arg(1000000)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace msprobe::compare

BENCHMARK_MAIN();
