// What the pass over a pair of tensors leaves behind, for a block, a piece or the whole: a few sums, maxima and counts
// that merge.
#pragma once
#include <cstdint>

#include "metrics/kernel.h"

namespace msprobe::metrics {

/// A sum of doubles with twice their precision, times 2^exponent so that squares of any double fit. Merging in a fixed
/// order gives the same bits whatever the number of threads.
class Sum {
 public:
  void add(double value, int exponent = 0);
  void add(const Sum& other);
  double mantissa() const { return low_ == low_ ? high_ + low_ : high_; }
  int exponent() const { return exponent_; }
  double value() const;

 private:
  void add_aligned(double value);
  double high_ = 0, low_ = 0;
  int exponent_ = 0;
};

/// b = golden, d = device, r = b rounded to the device's format; kernel.h says what each field counts.
struct Partial {
  int64_t elements = 0;
  double max_golden = 0, max_device = 0, max_abs = 0, max_relative = 0, max_ulp = 0;
  Sum dot, golden_square, device_square, relative, square, ulp;
  int64_t hundredth = 0, thousandth = 0, ten_thousandth = 0;
  int64_t small = 0, small_wrong = 0, absolute_wrong = 0, relative_wrong = 0;
  int64_t above = 0, below = 0, differ = 0, ulp_above = 0;
  int64_t finite = 0, disagree = 0, inf_nan_wrong = 0, golden_special = 0, device_special = 0;
  bool special = false;  ///< the last block held something that is not finite
  bool constant = true;  ///< every golden element equals the first (nan counts as equal to nan)

  /// Profile mindstudio only: numpy's results, and the cosine where it is computed apart. To numpy an infinity does not
  /// agree with itself: what agrees nonetheless is counted, and left out of a maximum, for Status alone.
  bool numpy = false;
  double numpy_mean_square = 0, numpy_mean_relative = 0, numpy_cosine = 0, numpy_max_abs_judged = 0;
  int64_t numpy_agree = 0;

  int64_t normal() const { return finite - small; }
  /// Elements that are the same inf, or nan, on both sides.
  int64_t agree() const { return elements - finite - disagree; }
  /// Adds the figures of one kernel call over n elements, `padding` of which were (0, 0) behind the last one. The sums
  /// dot, golden_square, device_square and square are left out where they were not representable: add_products() is
  /// then due.
  void add(const BlockSums& block, int64_t n, int64_t padding, bool products);
  void merge(const Partial& other);
};

}  // namespace msprobe::metrics
