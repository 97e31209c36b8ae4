// The inner loops over one block of numbers, compiled once for each instruction set and picked when the program runs.
// All of them give the same bits: eight lanes, no fused multiply-add, no instruction whose result is approximate.
// Plain C++ types only: the files behind this header must not instantiate anything of the standard library (simd.h says
// why).
#pragma once
#include <cstdint>

namespace msprobe::metrics {

/// A binary floating format, as far as rounding to it is concerned.
struct FloatFormat {
  int mantissa;       ///< explicit bits: 10 for float16
  int min_exponent;   ///< of the smallest normal number: -14 for float16
  double max_finite;  ///< 65504 for float16
  double overflow;    ///< the smallest size that rounds beyond max_finite: 65520 for float16
  bool has_infinity;  ///< what lies beyond is inf; else nan
};

/// Limits of one comparison; all compared in float64.
struct KernelLimits {
  FloatFormat format;  ///< of the device's elements
  double eps;          ///< re = ae / (|b| + eps)
  double hundredth, thousandth, ten_thousandth;
  double small_value, small_value_atol, rtol;
  double ulp_limit;
};

/// What one block adds to the figures. b = golden, d = device, r = b rounded to the device's format. "finite": d and r
/// are. The fast kernels fill the first three groups and expect finite numbers only: they are void where golden_square
/// or device_square is not finite, or max_golden reaches the overflow of the format; the special kernels then do the
/// block again.
struct BlockSums {
  double max_golden, max_device;  ///< |b|, |d|, of finite ones (fast_single: max_device is 0 or 1, all zero or not)
  double max_abs, max_relative, max_ulp;  ///< ae over finite, re over normal, ULP over finite elements
  double dot, golden_square, device_square;
  double relative, square, ulp;  ///< sums of re and ae^2 over normal, of ULP over finite elements

  int64_t hundredth, thousandth, ten_thousandth;  ///< elements with re below; agreeing inf and nan are
  int64_t small, small_wrong;                     ///< |b| <= small_value; of those ae > small_value_atol
  int64_t relative_wrong;                         ///< normal elements with re > rtol
  int64_t above, differ;                          ///< d > r, d != r
  int64_t ulp_above;                              ///< ULP > ulp_limit

  int64_t below;                           ///< d < r
  int64_t finite, disagree;                ///< disagree: one side only is inf or nan, or they differ in kind or sign
  int64_t inf_nan_wrong;                   ///< of the disagreeing: not even near when clipped to the format's range
  int64_t golden_special, device_special;  ///< inf or nan before any rounding
};

/// Which elements have a relative error, and in what unit numbers are taken.
struct ErrorLimits {
  FloatFormat format;
  double floor;  ///< of |b|; above 0
  double scale;  ///< a power of two that all numbers are multiplied by, so that no square overflows; 1 for a float
};

/// Errors of two candidates, the device and b rounded to its format, over the elements where d and r are finite.
struct ErrorSums {
  struct Of {
    double square, relative, max_relative, max_abs;  ///< relative ones where |b| >= floor
    double max_small;                                ///< largest error where |b| < floor
  } device, rounded;
  int64_t finite, normal;  ///< normal: of the finite ones, |b| >= floor
  int64_t zeros;           ///< d is 0, r is not
  int64_t special;         ///< d or r is not finite, and they do not agree
};

/// Limits for numpy's arithmetic (mindstudio.h).
struct NumpyLimits {
  bool round_to_half;  ///< the device's elements are float16: numpy casts the golden to that
  double eps, hundredth, thousandth, ten_thousandth;
  double small_value, small_value_atol, absolute_atol, rtol;
  double clip;  ///< largest finite number of the device's type, for inf/nan错误率
};

/// Sums over elements as numpy forms them; a maximum is nan where one of its elements is.
struct NumpySums {
  double max_golden = 0, max_device = 0, max_abs = 0;
  double max_abs_judged = 0;  ///< max_abs without what agrees
  double max_relative = -1;   ///< over normal elements; -1: none
  double dot = 0, golden_square = 0, device_square = 0;
  int64_t hundredth = 0, thousandth = 0, ten_thousandth = 0;
  int64_t small = 0, small_wrong = 0, absolute_wrong = 0, relative_wrong = 0, above = 0, below = 0, other = 0,
          inf_nan_wrong = 0;
  int64_t agree = 0;  ///< device and golden, cast to the device's type, are the same infinity or both nan
};

/// The type in which numpy computes with a golden of type B and a device of type D.
template <class B, class D>
struct Common {
  using Type = double;
};
template <>
struct Common<float, float> {
  using Type = float;
};

template <class B, class D>
struct NumpyKernels {
  using C = typename Common<B, D>::Type;
  /// Up to 128 elements: adds to `sums`, and gives numpy's sum of ae^2 and of re, both with what is not normal as 0.
  void (*leaf)(const B* golden, const D* device, int n, const NumpyLimits&, NumpySums& sums, C& square, C& relative);
  /// re of n elements, -1 where not normal.
  void (*relative)(const B* golden, const D* device, int n, const NumpyLimits&, C* out);
};

struct Kernels {
  const char* name;  ///< "avx512", "avx2", "baseline"
  /// n is a multiple of 8. `device` of the single kernels is exact for every format up to float32.
  using Single = void (*)(const double* golden, const float* device, int64_t n, const KernelLimits&, BlockSums&);
  using Double = void (*)(const double* golden, const double* device, int64_t n, const KernelLimits&, BlockSums&);
  Single fast_single, special_single;
  Double fast_double, special_double;
  void (*errors_single)(const double* golden, const float* device, int64_t n, const ErrorLimits&, ErrorSums&);
  void (*errors_double)(const double* golden, const double* device, int64_t n, const ErrorLimits&, ErrorSums&);
  void (*half_to_single)(const uint16_t* from, float* to, int64_t n);
  void (*bfloat16_to_single)(const uint16_t* from, float* to, int64_t n);
  void (*single_to_double)(const float* from, double* to, int64_t n);
  NumpyKernels<float, float> numpy_single;
  NumpyKernels<double, float> numpy_mixed;
  NumpyKernels<float, double> numpy_reverse;
  NumpyKernels<double, double> numpy_double;
  /// The dot product as OpenBLAS forms it on CPUs with AVX2, one thread: four sums of four lanes with fused
  /// multiply-add, then the rest one by one.
  double (*blas_dot)(const double* x, const double* y, int64_t n);
};

/// The best that this CPU runs.
const Kernels& kernels();

/// By instruction set; null where this program or this CPU has none.
const Kernels* avx512_kernels();
const Kernels* avx2_kernels();
const Kernels* baseline_kernels();

}  // namespace msprobe::metrics
