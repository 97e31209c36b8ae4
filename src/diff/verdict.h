// Whether a verdict got better or worse.
#pragma once
#include "diff/report.h"

namespace msprobe::diff {

/// docs/diff.md#better-and-worse. `assessed`: both files hold assessments; else only Status counts. Never kMoved.
Change change_of(const Verdict& before, const Verdict& after, bool assessed);

}  // namespace msprobe::diff
