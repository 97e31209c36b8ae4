// Kernels for x86 CPUs with AVX2.
#include "metrics/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#pragma GCC target("avx2,fma,f16c")
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // arrays of which n elements are filled and n read
#define METRICS_LEVEL 256
#include "metrics/kernel.inc"

const msprobe::metrics::Kernels* msprobe::metrics::avx2_kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kTable : nullptr;
}
#else
const msprobe::metrics::Kernels* msprobe::metrics::avx2_kernels() {
  return nullptr;
}
#endif
