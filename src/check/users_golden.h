// A user's golden against the operator that it is to judge.
#pragma once
#include <cstddef>
#include <vector>

#include "check/rebuilt.h"
#include "check/session.h"
#include "goldens/golden.h"
#include "inputs/value.h"

namespace msprobe::check {

/// A golden that gives other shapes or dtypes than the operator did says nothing about it: throws Skip. Where the
/// operator could not run (an NPU's, without one) the recorded outputs stand for it. `judged`: so many first outputs
/// count.
void check_users_golden(const Session& session, const Rebuilt& rebuilt, const goldens::Golden& users,
                        const std::vector<inputs::Value>& golden, const std::vector<inputs::Value>& device,
                        size_t judged);

}  // namespace msprobe::check
