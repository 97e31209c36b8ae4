#include "metrics/as_good.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace msprobe::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// 0 / 0 is no excess.
double quotient(double value, double by) {
  return value == 0 ? 0 : by == 0 ? kInfinity : value / by;
}

/// Elements too small for a relative error may be wrong by as much as one at the floor.
bool within_one_ulp(const Measure& m, const Scale& scale) {
  return m.errors.max_relative <= scale.ulp && m.max_small <= scale.ulp * scale.floor;
}

/// Errors as small as the format's, beside the output as a whole: two right libraries approximate a function (erf, exp)
/// with errors that differ by more than any factor of each other where they are as small as that. The half types are
/// not asked: their yardsticks compute in more than they hold.
bool within_norm(const Measure& m, const Scale& scale, const config::AssessmentLimits& limits) {
  constexpr double kSingle = 0x1p-23;
  if (scale.ulp > kSingle) return false;
  const double unit = scale.ulp * scale.golden_rms;
  return m.errors.rms <= limits.norm_rms * unit && m.errors.max_abs <= limits.norm_max * unit;
}

}  // namespace

Excess excess(const Measure& x, const Measure& y, const Scale& scale, bool alike,
              const config::AssessmentLimits& limits) {
  if (!alike) return {kInfinity, static_cast<double>(x.errors.special), "elements that are inf or nan"};
  const double n = static_cast<double>(scale.elements);
  Excess most;
  const double zeros_allowed = static_cast<double>(y.errors.zeros) + limits.zeros * n;
  const double zeros = static_cast<double>(x.errors.zeros);
  if (zeros > zeros_allowed) most = {quotient(zeros, zeros_allowed), zeros, "elements that are 0"};
  if (within_one_ulp(x, scale) || within_norm(x, scale, limits)) return most;
  // A yardstick without any error asks for no less than the format holds, so that severities stay comparable.
  constexpr double kShareOfUnit = 0.25;
  const double least_relative = kShareOfUnit * scale.ulp, least = least_relative * scale.golden_rms;
  const double few = 1 + limits.scatter / std::sqrt(n);
  const struct {
    const char* name;
    double value, yardstick, times, least;
  } figures[] = {
      {"root mean square error", x.errors.rms, y.errors.rms, limits.rms, least},
      {"largest relative error", x.errors.max_relative, y.errors.max_relative, limits.max_relative, least_relative},
      {"mean relative error", x.errors.mean_relative, y.errors.mean_relative, limits.mean_relative, least_relative},
      {"largest absolute error", x.errors.max_abs, y.errors.max_abs, limits.max_abs, least},
  };
  for (const auto& f : figures) {
    const double over = quotient(f.value, std::max(f.yardstick * f.times * few, f.least));
    if (over > most.quotient) most = {over, quotient(f.value, f.yardstick), f.name};
  }
  return most;
}

}  // namespace msprobe::metrics
