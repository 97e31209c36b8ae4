// The third step of the check: the two sides against each other, and the device against what the dump recorded.
#pragma once
#include "check/called.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "outcome/row.h"

namespace msprobe::check {

/// Rows, statuses and Message; no time. Throws what a comparison throws (memory).
outcome::ApiOutcome judge(const Session& session, const Rebuilt& rebuilt, const Called& called);

}  // namespace msprobe::check
