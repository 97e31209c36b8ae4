// numpy's pairwise summation. Internal linkage, no standard library: the kernels include it too (simd.h says why).
#pragma once
#include <cstdint>

namespace msprobe::metrics {
namespace {

constexpr int kNumpyLeaf = 128;

/// Up to 128 numbers.
template <class T>
T numpy_leaf_sum(const T* a, int n) {
  T result = 0;
  int i = 0;
  if (n >= 8) {
    T r[8];
    for (int j = 0; j < 8; ++j) r[j] = a[j];
    for (i = 8; i < n - n % 8; i += 8) {
      for (int j = 0; j < 8; ++j) r[j] += a[i + j];
    }
    result = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; i < n; ++i) result += a[i];
  return result;
}

/// More than 128 numbers are the sum of two sums; elements of the first.
inline int64_t numpy_first_half(int64_t n) {
  return n / 2 - n / 2 % 8;
}

}  // namespace
}  // namespace msprobe::metrics
