// Goldens of operators that PyTorch has in low precision alone: in float64 they refuse their arguments, and a golden in
// the recorded precision would be the device's own call once more.
#pragma once
#include <string_view>

#include "ops/registry.h"

namespace msprobe::goldens {

struct LowPrecision {
  std::string_view name;  ///< of the operator: "_scaled_mm"
  /// Takes the arguments raised to float64; the result is float64. Throws Error for forms that it does not know.
  ops::Value (*call)(const ops::Arguments& arguments);
};

/// nullptr: there is none, LibTorch's operator computes in float64.
const LowPrecision* find_low_precision(std::string_view name);

}  // namespace msprobe::goldens
