// Which figures of an output moved.
#pragma once
#include <vector>

#include "config/diff_limits.h"
#include "diff/report.h"

namespace msprobe::diff {

class Movement {
 public:
  /// `path`: of the file that `limits` come from. Throws Error when a figure has no floor, or a floor no figure.
  Movement(config::DiffLimits limits, config::Standards standards, const std::string& path);

  /// What moved most comes first. `compared`: by Figure, whether both files have the column.
  std::vector<MovedFigure> between(const report::Figures& before, const report::Figures& after,
                                   const std::array<bool, outcome::kFigureCount>& compared,
                                   std::string_view dtype) const;

 private:
  double times_;
  std::array<config::Floor, outcome::kFigureCount> floors_;
  config::Standards standards_;
};

}  // namespace msprobe::diff
