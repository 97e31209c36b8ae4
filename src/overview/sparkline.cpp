#include "overview/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace msprobe::overview {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Orders what a column shows: nan like inf.
double weight(const std::optional<double>& value) {
  if (!value) return -1;
  return std::isnan(*value) ? kInfinity : std::abs(*value);
}

std::string_view step(double weight, double low, double high) {
  constexpr std::array<std::string_view, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (weight < 0) return " ";
  if (weight == 0) return "0";
  if (std::isinf(weight)) return "X";
  const double share = high > low ? (std::log10(weight) - low) / (high - low) : 0;
  return kSteps[std::min(kSteps.size() - 1, static_cast<size_t>(share * kSteps.size()))];
}

}  // namespace

Sparkline sparkline(const std::vector<std::optional<double>>& values, size_t width) {
  const size_t columns = std::min(std::max<size_t>(width, 1), values.size());
  std::vector<double> shown(columns, -1);
  for (size_t i = 0; i < values.size(); ++i) {
    double& column = shown[i * columns / values.size()];
    column = std::max(column, weight(values[i]));
  }
  Sparkline result;
  double low = kInfinity, high = -kInfinity;
  for (const double weight : shown) {
    if (!(weight > 0) || std::isinf(weight)) continue;
    low = std::min(low, std::log10(weight));
    high = std::max(high, std::log10(weight));
  }
  if (low <= high) result.low = low, result.high = high;
  for (const double weight : shown) result.line += step(weight, result.low, result.high);
  return result;
}

}  // namespace msprobe::overview
