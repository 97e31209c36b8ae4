// Independent pieces of work on the CPU threads that LibTorch was given (at::set_num_threads).
#pragma once
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace msprobe::metrics {

/// Calls work(i) once for each i in [0, count), in any order. `work` must not throw. One piece starts no thread, and
/// neither does a call from inside a parallel region.
template <class Work>
void for_each_piece(int64_t count, const Work& work) {
#ifdef INTRA_OP_PARALLEL
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) work(i);
  });
#else
  // at::parallel_for is a plain loop in programs that are not themselves compiled with OpenMP.
  const int64_t threads = at::in_parallel_region() ? 1 : std::min<int64_t>(at::get_num_threads(), count);
  std::atomic<int64_t> next{0};
  const auto run = [&] {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
  };
  std::vector<std::jthread> helpers;
  for (int64_t t = 1; t < threads; ++t) helpers.emplace_back(run);
  run();
#endif
}

}  // namespace msprobe::metrics
