// A row of numbers as a line of text: log10 of absolute values, in eight steps.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace msprobe::overview {

struct Sparkline {
  std::string line;          ///< one character a column: ▁ to █; X: inf or nan; 0: all zero; a blank: unknown
  double low = 0, high = 0;  ///< log10 that the lowest and the highest step stand for; both 0 where no value has one
};

/// At most `width` columns, in each the largest of the values that fall into it: inf or nan before numbers, these
/// before zeros, zeros before unknown ones.
Sparkline sparkline(const std::vector<std::optional<double>>& values, size_t width);

}  // namespace msprobe::overview
