// How fast a dump.json is indexed and its records are read. Bytes a second; the promise is 150 MB/s on one core.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "dump/index.h"
#include "support/temp_folder.h"

namespace {

using msprobe::dump::Index;

const char kTensor[] = R"({
     "type": "torch.Tensor",
     "dtype": "torch.bfloat16",
     "shape": [
      2,
      128,
      4096
     ],
     "Max": 4.40625,
     "Min": -4.5625,
     "Mean": -0.000492095947265625,
     "Norm": 1024.0,
     "requires_grad": true
    })";

/// A dump as msprobe writes it, with `tensors` tensors a record.
class DumpFile {
 public:
  DumpFile(int records, int tensors) {
    std::string list;
    for (int i = 0; i < tensors; ++i) list += (i > 0 ? ",\n    " : "\n    ") + std::string(kTensor);
    std::ofstream file(path_);
    file << "{\n \"task\": \"statistics\",\n \"level\": \"L1\",\n \"dump_data_dir\": null,\n \"data\": {";
    for (int i = 0; i < records; ++i) {
      file << (i > 0 ? "," : "") << "\n  \"Functional.linear." << i << ".forward\": {\n   \"input_args\": [" << list
           << "\n   ],\n   \"input_kwargs\": {},\n   \"output\": [\n    " << kTensor << "\n   ]\n  }";
    }
    file << "\n }\n}\n";
  }
  std::string path() const { return path_.string(); }
  int64_t size() const { return static_cast<int64_t>(std::filesystem::file_size(path_)); }

 private:
  const msprobe::support::TempFolder folder_;
  const std::filesystem::path path_ = folder_ / "dump.json";
};

void index_dump(benchmark::State& state) {
  const DumpFile dump(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(Index::open(dump.path()).entries().size());
  state.SetBytesProcessed(state.iterations() * dump.size());
}
BENCHMARK(index_dump)->Args({20'000, 2})->Args({10'000, 24})->Unit(benchmark::kMillisecond);

void read_records(benchmark::State& state) {
  const DumpFile dump(2'000, static_cast<int>(state.range(0)));
  const Index index = Index::open(dump.path());
  for (auto _ : state) {
    for (size_t i = 0; i < index.entries().size(); ++i) benchmark::DoNotOptimize(index.read(i).forward.args.size());
  }
  state.SetBytesProcessed(state.iterations() * dump.size());
}
BENCHMARK(read_records)->Arg(2)->Arg(24)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
