#include "diff/moved.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "util/error.h"

namespace msprobe::diff {
namespace {

using outcome::Figure;
using report::FigureCell;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// What an exact device has.
double exact(Figure figure) {
  switch (figure) {
    case Figure::kCosine:
    case Figure::kHundredth:
    case Figure::kThousandth:
    case Figure::kTenThousandth:
      return 1;
    default:
      return 0;
  }
}

/// inf for inf and nan.
double distance(Figure figure, double value) {
  return std::isfinite(value) ? std::abs(value - exact(figure)) : kInf;
}

}  // namespace

Movement::Movement(config::DiffLimits limits, config::Standards standards, const std::string& path)
    : times_(limits.times), floors_{}, standards_(std::move(standards)) {
  for (size_t i = 0; i < floors_.size(); ++i) {
    const auto found = limits.floors.find(outcome::kFigureColumns[i]);
    if (found == limits.floors.end())
      throw Error(path + ": floors", std::string(outcome::kFigureColumns[i]) + " is missing", "give it a number");
    floors_[i] = found->second;
    limits.floors.erase(found);
  }
  if (!limits.floors.empty())
    throw Error(path + ": floors", limits.floors.begin()->first + " is no figure", "take it out");
}

std::vector<MovedFigure> Movement::between(const report::Figures& before, const report::Figures& after,
                                           const std::array<bool, outcome::kFigureCount>& compared,
                                           std::string_view dtype) const {
  std::vector<MovedFigure> moved;
  for (int i = 0; i < outcome::kFigureCount; ++i) {
    const auto figure = static_cast<Figure>(i);
    const FigureCell a = before[figure], b = after[figure];
    if (!compared[static_cast<size_t>(i)] || (a.kind == b.kind && (!a.is_number() || a.value == b.value))) continue;
    if (a.kind != b.kind) {
      moved.push_back({figure, a, b, kInf, false});
      continue;
    }
    const double was = distance(figure, a.value), is = distance(figure, b.value);
    if (std::isinf(was) && std::isinf(is)) {
      // nan is nan; but inf, -inf and nan are three things.
      if (std::isnan(a.value) != std::isnan(b.value) || a.value == -b.value)
        moved.push_back({figure, a, b, kInf, false});
      continue;
    }
    const double floor = floors_[static_cast<size_t>(i)].of(dtype, standards_);
    const double small = std::max(std::min(was, is), floor), large = std::max(std::max(was, is), floor);
    if (large > times_ * small) moved.push_back({figure, a, b, small == 0 ? kInf : large / small, is > was});
  }
  std::stable_sort(moved.begin(), moved.end(),
                   [](const MovedFigure& x, const MovedFigure& y) { return x.times > y.times; });
  return moved;
}

}  // namespace msprobe::diff
