// What finding and binding a call costs, without the kernel that it ends in.
#include <benchmark/benchmark.h>

#include "ops/call.h"
#include "ops/registry.h"

namespace msprobe::ops {
namespace {

void bind_call(benchmark::State& state, const char* name, Road road, const Arguments& arguments) {
  Target target;
  target.shown = name;
  target.name = name;
  target.road = road;
  for (auto _ : state) benchmark::DoNotOptimize(choose_schema(target, arguments));
}

at::Tensor ones(at::IntArrayRef sizes) {
  return at::ones(sizes);
}

const inputs::None none;

BENCHMARK_CAPTURE(bind_call, add_tensors, "add", Road::kFunction, Arguments{{ones({2}), ones({2})}, {}});
BENCHMARK_CAPTURE(bind_call, add_a_number, "add", Road::kMethod, Arguments{{ones({2}), 2}, {}});
BENCHMARK_CAPTURE(bind_call, conv2d_with_seven, "conv2d", Road::kFunction,
                  Arguments{{ones({1, 1, 4, 4}), ones({1, 1, 2, 2}), none, 1, 0, 1, 1}, {}});
BENCHMARK_CAPTURE(bind_call, conv2d_second_overload, "conv2d", Road::kFunction,
                  Arguments{{ones({1, 1, 4, 4}), ones({1, 1, 2, 2}), none, 1, "same"}, {}});
BENCHMARK_CAPTURE(bind_call, sum_by_keywords, "sum", Road::kFunction,
                  Arguments{{ones({2, 2})}, {{"axis", 1}, {"keepdims", true}}});
BENCHMARK_CAPTURE(bind_call, view_by_numbers, "view", Road::kMethod, Arguments{{ones({4}), 2, 2}, {}});
BENCHMARK_CAPTURE(bind_call, cat, "cat", Road::kFunction,
                  Arguments{{inputs::List{{ones({2}), ones({2}), ones({2})}}, 0}, {}});
BENCHMARK_CAPTURE(bind_call, packet_overload, "add", Road::kPacket, Arguments{{ones({2}), ones({2})}, {}});

// By name, as a run does it, kernel included: what stands around at::add_out of two numbers.
void find_and_call(benchmark::State& state) {
  const auto name = dump::parse_api_name("Torch.add.0");
  const Arguments arguments{{ones({2}), ones({2})}, {}};
  for (auto _ : state) {
    const auto found = candidates(name, arguments);
    benchmark::DoNotOptimize(found.front().call(arguments));
  }
}
BENCHMARK(find_and_call);

void kernel_alone(benchmark::State& state) {
  const auto a = ones({2}), b = ones({2});
  for (auto _ : state) benchmark::DoNotOptimize(at::add(a, b));
}
BENCHMARK(kernel_alone);

// Schemas of a name are read once: the price of the first call.
void first_use_of_a_name(benchmark::State& state) {
  const auto names = std::vector<std::string>{"add", "conv2d", "sum", "std", "where", "pow"};
  for (auto _ : state) {
    for (const auto& name : names) benchmark::DoNotOptimize(signatures::read_operator(name));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(names.size()));
}
BENCHMARK(first_use_of_a_name)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace msprobe::ops

BENCHMARK_MAIN();
