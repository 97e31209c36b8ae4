// Kernels for what every CPU of the platform has (SSE2 on x86-64, NEON on AArch64), and the choice between all of them.
#include "metrics/kernel.h"

#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // arrays of which n elements are filled and n read
#endif
#define METRICS_LEVEL 128
#include "metrics/kernel.inc"

namespace msprobe::metrics {

const Kernels* baseline_kernels() {
  return &kTable;
}

const Kernels& kernels() {
  static const Kernels* const best = [] {
    if (const Kernels* k = avx512_kernels()) return k;
    if (const Kernels* k = avx2_kernels()) return k;
    return baseline_kernels();
  }();
  return *best;
}

}  // namespace msprobe::metrics
