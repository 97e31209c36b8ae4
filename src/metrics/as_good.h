// Is a candidate as good as a yardstick? (docs/verdicts.md#as-good-as)
#pragma once
#include <cstdint>
#include <string>

#include "config/standards.h"
#include "metrics/errors.h"

namespace msprobe::metrics {

/// The figure that is farthest beyond its limit.
struct Excess {
  double quotient = 0;  ///< figure / limit: at most 1 for a candidate that is as good; inf where the limit is 0
  double times = 0;     ///< figure / the yardstick's; inf where that is 0
  std::string figure;   ///< "root mean square error"; "elements that are 0": `times` is then their number
};

/// What the errors are measured by.
struct Scale {
  double ulp;             ///< one unit in the last place of the device's format, relative
  double golden_rms = 0;  ///< root mean square of the golden
  double floor;           ///< of |b|, from which on an element has a relative error
  int64_t elements;       ///< of the output
};

/// `alike`: candidate and yardstick have inf and nan at the same places.
Excess excess(const Measure& candidate, const Measure& yardstick, const Scale& scale, bool alike,
              const config::AssessmentLimits& limits);

inline bool as_good(const Excess& excess) {
  return excess.quotient <= 1;
}

}  // namespace msprobe::metrics
