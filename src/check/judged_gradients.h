// The gradients of the inputs of both sides against each other.
#pragma once
#include "check/called.h"
#include "check/judged_rows.h"
#include "check/rebuilt.h"
#include "check/second_opinion.h"
#include "check/session.h"

namespace msprobe::check {

/// The rows of the inputs' gradients, and Backward Test Success, of a call whose backward was recorded.
Judged judge_gradients(const Session& session, const Rebuilt& rebuilt, const Called& called,
                       const SecondOpinion& second);

}  // namespace msprobe::check
