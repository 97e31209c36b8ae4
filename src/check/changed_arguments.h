// Arguments that a call changes beside its outputs: running statistics, moments of an optimizer, an embedding's weight
// under max_norm (docs/execution.md#arguments-that-a-call-changes).
#pragma once
#include <string>
#include <vector>

#include "check/called.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "inputs/places.h"

namespace msprobe::check {

struct ChangedArgument {
  std::string name;  ///< "running_mean", "exp_avgs[0]"
  at::Tensor golden, device;
  inputs::Place place;  ///< among the recorded arguments
  size_t item = 0;      ///< which of its tensors
};

/// The same argument of another side, after its call; undefined: it has none.
at::Tensor argument_of(const inputs::Arguments& side, const ChangedArgument& changed, const Rebuilt& rebuilt);

/// Those that at least one side changed, in the order in which the call takes them; none of what is compared as an
/// output already. Profile documented.
std::vector<ChangedArgument> changed_arguments(const Session& session, const Rebuilt& rebuilt, const Called& called);

}  // namespace msprobe::check
