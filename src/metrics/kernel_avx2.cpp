// Kernels for x86 CPUs with AVX2.
#include "metrics/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#pragma clang fp contract(off)
#else
#pragma GCC target("avx2,fma,f16c")
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // arrays of which n elements are filled and n read
#endif
#define METRICS_LEVEL 256
#include "metrics/kernel.inc"
#if defined(__clang__)
#pragma clang attribute pop
#endif

const msprobe::metrics::Kernels* msprobe::metrics::avx2_kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kTable : nullptr;
}
#else
const msprobe::metrics::Kernels* msprobe::metrics::avx2_kernels() {
  return nullptr;
}
#endif
