// Machine epsilon of a floating or complex dtype: the gap behind 1.
#pragma once
#include <c10/core/ScalarType.h>

#include <cmath>

namespace msprobe::check {

inline double epsilon_of(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kHalf:
      return std::ldexp(1.0, -10);
    case at::kBFloat16:
      return std::ldexp(1.0, -7);
    case at::kDouble:
      return std::ldexp(1.0, -52);
    default:
      return std::ldexp(1.0, -23);
  }
}

}  // namespace msprobe::check
