// Writing and reading of details CSVs, and saving of tensors. Rows and bytes a second are shown beside the times.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "report/csv_reader.h"
#include "report/csv_writer.h"
#include "report/pt_writer.h"
#include "support/temp_folder.h"

namespace msprobe::report {
namespace {

using outcome::ApiOutcome;

namespace fs = std::filesystem;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

ApiOutcome outcome(int i) {
  ApiOutcome o;
  o.api = "Functional.scaled_dot_product_attention." + std::to_string(i);
  outcome::Row row;
  row.name = o.api + ".forward.output.0";
  row.bench_dtype = "torch.float64";
  row.device_dtype = "torch.float32";
  row.shape = "(4, 16, 1024)";
  row.status = outcome::Status::kPass;
  for (int f = 0; f < outcome::kFigureCount; ++f)
    row.figures[static_cast<size_t>(f)] = std::sin(i + f) * std::pow(10.0, -(f % 9));
  row[outcome::Figure::kBinaryErrorRate].reset();
  o.rows.push_back(row);
  return o;
}

void write_details(const std::string& path, int rows) {
  std::ofstream file(path, std::ios::binary);
  file << kMark << csv_row(details_header());
  for (int i = 0; i < rows; ++i) file << details_lines(outcome(i), 14);
}

void BM_FormatRows(benchmark::State& state) {
  const ApiOutcome o = outcome(3);
  size_t bytes = 0;
  for (auto _ : state) bytes += details_lines(o, 14).size();
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(BM_FormatRows);

void BM_ReadTable(benchmark::State& state) {
  const support::TempFolder folder;
  const std::string path = folder / "details.csv";
  write_details(path, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(read_table(path, details_header()).rows.size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(fs::file_size(path)));
}
BENCHMARK(BM_ReadTable)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_WriteTensor(benchmark::State& state) {
  const support::TempFolder folder;
  const std::string path = folder / "tensor.pt";
  const std::vector<float> data(static_cast<size_t>(state.range(0)), 1.5f);
  for (auto _ : state)
    write_pt(path, "torch.float32", {state.range(0)}, data.data(), data.size() * sizeof(float), false);
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<int64_t>(sizeof(float)));
}
BENCHMARK(BM_WriteTensor)->Arg(1 << 10)->Arg(1 << 24)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace msprobe::report

BENCHMARK_MAIN();
