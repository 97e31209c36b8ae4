#include "diff/verdict.h"

#include <algorithm>

namespace msprobe::diff {
namespace {

using outcome::Assessment;
using outcome::Status;

bool is_judged(Status status) {
  return status == Status::kPass || status == Status::kWarning || status == Status::kError;
}

Change by_status(const Verdict& before, const Verdict& after) {
  const bool was = is_judged(before.status), is = is_judged(after.status);
  if (was && is) {
    if (before.status == after.status) return Change::kSame;
    return before.status < after.status ? Change::kWorse : Change::kBetter;  // pass, warning, error
  }
  // What cannot be checked any more is worse than a pass, and no progress where it was wrong.
  if (was) return before.status == Status::kError ? Change::kChanged : Change::kWorse;
  if (is) return after.status == Status::kError ? Change::kWorse : Change::kBetter;
  return before.reason == after.reason ? Change::kSame : Change::kChanged;
}

Change by_assessment(const Verdict& before, const Verdict& after) {
  const bool was = before.assessment == Assessment::kSuspect, is = after.assessment == Assessment::kSuspect;
  if (is && !was) return Change::kWorse;
  if (!is_judged(before.status) || !is_judged(after.status)) return Change::kSame;
  if (was && !is) return Change::kBetter;
  return before.assessment == after.assessment ? Change::kSame : Change::kChanged;
}

}  // namespace

Change change_of(const Verdict& before, const Verdict& after, bool assessed) {
  const Change status = by_status(before, after);
  // In the order of the enumeration: worse counts more than better, better more than changed.
  return assessed ? std::max(status, by_assessment(before, after)) : status;
}

}  // namespace msprobe::diff
