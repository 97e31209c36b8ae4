// Kernels for CPUs with AVX-512 (Intel Skylake server and later, AMD Zen 4 and later).
#include "metrics/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c"))), \
                             apply_to = function)
#pragma clang fp contract(off)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c")
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12's own intrinsics
#endif
#define METRICS_LEVEL 512
#include "metrics/kernel.inc"
#if defined(__clang__)
#pragma clang attribute pop
#endif

const msprobe::metrics::Kernels* msprobe::metrics::avx512_kernels() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
             ? &kTable
             : nullptr;
}
#else
const msprobe::metrics::Kernels* msprobe::metrics::avx512_kernels() {
  return nullptr;
}
#endif
