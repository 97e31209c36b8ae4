// How the golden of a call is called: once for the verdict, and again for its neighbours (jumps.h).
#pragma once
#include "check/notes.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "check/side.h"
#include "ops/registry.h"

namespace msprobe::check {

struct GoldenCall {
  ops::Candidate way;
  bool with_dtype = false;  ///< a lost dtype is given to it
  Rounded rounded;          ///< what autocast made of the device's arguments
  bool raised = true;       ///< in more than the recorded precision
};

/// What fits the way of the device, raised unless the API keeps the recorded precision.
GoldenCall golden_call(const Session& session, const Rebuilt& rebuilt, const ops::Candidate& way, bool with_dtype,
                       Rounded rounded);

/// Its side, not yet called. `notes`: what was assumed.
Side prepare(const Session& session, const Rebuilt& rebuilt, const GoldenCall& call, Notes& notes);

}  // namespace msprobe::check
