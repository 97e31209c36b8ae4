#include "metrics/partial.h"

#include <algorithm>
#include <cmath>

namespace msprobe::metrics {

void Sum::add_aligned(double value) {
  const double sum = high_ + value;
  if (!std::isfinite(sum)) {
    high_ = sum;
    low_ = 0;
    return;
  }
  const double part = sum - high_;
  low_ += (high_ - (sum - part)) + (value - part);
  high_ = sum;
}

void Sum::add(double value, int exponent) {
  if (value == 0) return;
  // A sum of a few of these would overflow; what 2^-600 of it loses is below its last digit.
  constexpr double kLarge = 0x1p900;
  constexpr int kDown = 600;
  if (std::isfinite(value) && std::abs(value) >= kLarge) {
    value = std::ldexp(value, -kDown);
    exponent += kDown;
  }
  if (high_ == 0 && low_ == 0) exponent_ = exponent;
  if (exponent > exponent_) {
    high_ = std::ldexp(high_, exponent_ - exponent);
    low_ = std::ldexp(low_, exponent_ - exponent);
    exponent_ = exponent;
  } else if (exponent < exponent_) {
    value = std::ldexp(value, exponent - exponent_);
  }
  add_aligned(value);
}

void Sum::add(const Sum& other) {
  add(other.high_, other.exponent_);
  add(other.low_, other.exponent_);
}

double Sum::value() const {
  return std::ldexp(mantissa(), exponent_);
}

void Partial::add(const BlockSums& block, int64_t n, int64_t padding, bool products) {
  elements += n - padding;
  max_golden = std::max(max_golden, block.max_golden);
  max_device = std::max(max_device, block.max_device);
  max_abs = std::max(max_abs, block.max_abs);
  max_relative = std::max(max_relative, block.max_relative);
  max_ulp = std::max(max_ulp, block.max_ulp);
  relative.add(block.relative);
  ulp.add(block.ulp);
  if (products) {
    dot.add(block.dot);
    golden_square.add(block.golden_square);
    device_square.add(block.device_square);
    square.add(block.square);
  }
  // A padding element is finite, small and without error.
  hundredth += block.hundredth - padding;
  thousandth += block.thousandth - padding;
  ten_thousandth += block.ten_thousandth - padding;
  small += block.small - padding;
  finite += block.finite - padding;
  small_wrong += block.small_wrong;
  absolute_wrong += block.small_wrong;
  relative_wrong += block.relative_wrong;
  above += block.above;
  below += block.below;
  differ += block.differ;
  ulp_above += block.ulp_above;
  disagree += block.disagree;
  inf_nan_wrong += block.inf_nan_wrong;
  golden_special += block.golden_special;
  device_special += block.device_special;
}

void Partial::merge(const Partial& other) {
  elements += other.elements;
  for (double Partial::*most :
       {&Partial::max_golden, &Partial::max_device, &Partial::max_abs, &Partial::max_relative, &Partial::max_ulp}) {
    this->*most = std::max(this->*most, other.*most);
  }
  for (Sum Partial::*sum : {&Partial::dot, &Partial::golden_square, &Partial::device_square, &Partial::relative,
                            &Partial::square, &Partial::ulp}) {
    (this->*sum).add(other.*sum);
  }
  for (int64_t Partial::*count :
       {&Partial::hundredth, &Partial::thousandth, &Partial::ten_thousandth, &Partial::small, &Partial::small_wrong,
        &Partial::absolute_wrong, &Partial::relative_wrong, &Partial::above, &Partial::below, &Partial::differ,
        &Partial::ulp_above, &Partial::finite, &Partial::disagree, &Partial::inf_nan_wrong, &Partial::golden_special,
        &Partial::device_special}) {
    this->*count += other.*count;
  }
  constant &= other.constant;
}

}  // namespace msprobe::metrics
