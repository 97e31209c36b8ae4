// The outputs of both sides against each other.
#pragma once
#include "check/called.h"
#include "check/judged_rows.h"
#include "check/rebuilt.h"
#include "check/second_opinion.h"
#include "check/session.h"

namespace msprobe::check {

/// The rows of the outputs, and Forward Test Success.
Judged judge_outputs(const Session& session, const Rebuilt& rebuilt, const Called& called, const SecondOpinion& second);

}  // namespace msprobe::check
