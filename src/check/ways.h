// Ways to call a record: a dump does not tell which function its name stands for where a namespace was lost.
#pragma once
#include <vector>

#include "check/rebuilt.h"
#include "check/session.h"
#include "check/side.h"
#include "ops/registry.h"

namespace msprobe::check {

/// All that can be had before the first operator of the API runs.
struct Ways {
  std::vector<ops::Candidate> candidates;  ///< in the order of trying; at least one
  Side first;                              ///< the device's side, prepared for the first form (form.h)
};

/// Of the device's side. Throws Skip: nothing of that name can be called; and errors of the device.
Ways find_ways(const Session& session, const Rebuilt& rebuilt);

/// Of the golden's side, by the device's: only an NPU operator's golden, or a user's, is called in another way. Throws
/// Skip.
std::vector<ops::Candidate> golden_ways(const Session& session, const Rebuilt& rebuilt,
                                        std::vector<ops::Candidate> devices);

}  // namespace msprobe::check
