// How fast inputs are drawn: bytes a second for each dtype, beside a plain fill of the same memory; small tensors in
// time each.
#include <benchmark/benchmark.h>

#include "inputs/precision.h"
#include "inputs/random.h"

namespace msprobe::inputs {
namespace {

constexpr int64_t kMany = int64_t{1} << 24;

dump::TensorMeta described(std::string_view dtype, int64_t elements) {
  dump::TensorMeta meta;
  meta.dtype = dtype;
  meta.shape = {elements};
  meta.min = 0.0;
  meta.max = 100.0;
  return meta;
}

void fill_plainly(benchmark::State& state) {
  at::Tensor tensor = at::empty({kMany}, at::kFloat);
  for (auto _ : state) benchmark::DoNotOptimize(tensor.fill_(1.0).data_ptr());
  state.SetBytesProcessed(state.iterations() * kMany * 4);
}
BENCHMARK(fill_plainly)->Name("plain fill of 16 Mi float32")->UseRealTime()->Unit(benchmark::kMillisecond);

void fill_drawn(benchmark::State& state, dump::Dtype dtype) {
  const RangeContext context{{-1, 1}, config::Profile::kDocumented, "input 0", nullptr};
  const auto meta = described(dump::dtype_name(dtype), kMany);
  const Words words(1234, "Functional.linear.0", "input.0");
  at::Tensor tensor = empty_tensor(meta.shape, dtype, "input 0");
  for (auto _ : state) {
    if (is_integer(dtype))
      fill_integers(tensor, dtype, integer_range(meta, dtype, context), words);
    else if (is_complex(dtype))
      fill_complex(tensor, dtype, float_range(meta, dtype, context), words);
    else
      fill_floating(tensor, dtype, float_range(meta, dtype, context), words);
    benchmark::DoNotOptimize(tensor.data_ptr());
  }
  state.SetBytesProcessed(state.iterations() * kMany * dump::dtype_size(dtype));
}

void draw_small(benchmark::State& state) {
  const RangeContext context{{-1, 1}, config::Profile::kDocumented, "input 0", nullptr};
  const auto meta = described("float16", state.range(0));
  for (auto _ : state) {
    const Words words(1234, "Functional.linear.0", "input.0");
    benchmark::DoNotOptimize(draw(meta, dump::Dtype::kFloat16, words, context).data_ptr());
  }
}
BENCHMARK(draw_small)->Name("draw float16")->Arg(1)->Arg(64)->Arg(4096)->UseRealTime();

void copy_both_sides(benchmark::State& state) {
  Arguments recorded;
  recorded.args.emplace_back(at::zeros({kMany}, at::kBFloat16));
  const dump::ApiName name{"Torch", "exp", "0", "Torch.exp.0"};
  for (auto _ : state) {
    benchmark::DoNotOptimize(golden_arguments(recorded, name, config::Profile::kDocumented));
    benchmark::DoNotOptimize(device_arguments(recorded, name, at::kCPU));
  }
}
BENCHMARK(copy_both_sides)->Name("both sides of 16 Mi bfloat16")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace msprobe::inputs

int main(int argc, char** argv) {
  using msprobe::dump::Dtype;
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt64,
                            Dtype::kBool, Dtype::kComplex64, Dtype::kFloat8E4m3fn})
    benchmark::RegisterBenchmark(("fill 16 Mi " + std::string(msprobe::dump::dtype_name(dtype))).c_str(),
                                 [dtype](benchmark::State& state) { msprobe::inputs::fill_drawn(state, dtype); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
