// Shapes in messages. A row's Shape cell holds all of it; a message of thousands of dimensions is read by nobody.
#pragma once
#include <string>

#include "metrics/compare.h"

namespace msprobe::check {

/// "(2, 3)"; of more than 16 dimensions the first eight and how many there are: "(1, 1, ...) of 5000 dimensions".
inline std::string shape_text(at::IntArrayRef sizes) {
  constexpr size_t kMost = 16, kShown = 8;
  if (sizes.size() <= kMost) return metrics::python_shape(sizes);
  std::string text = metrics::python_shape(sizes.slice(0, kShown));
  text.back() = ',';
  return text + " ...) of " + std::to_string(sizes.size()) + " dimensions";
}

}  // namespace msprobe::check
