// One API on two sides (spec page execution.md): rebuild, call, backward, compare.
#pragma once
#include "metrics/row.h"
#include "run/session.h"

namespace msprobe::run {

/// Checks API `i` of the index. Never throws for what the API does: errors become SKIP with their text.
metrics::ApiOutcome check_api(const Session& session, size_t i);

}  // namespace msprobe::run
