// Backward on both sides, of the same output gradients.
#pragma once
#include <string>
#include <vector>

#include "check/backward.h"
#include "check/decompositions.h"
#include "check/notes.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "check/side.h"

namespace msprobe::check {

struct Gradients {
  std::vector<at::Tensor> device, golden;  ///< one a leaf of the side, undefined where none arrived
  GradientPlan plan;                       ///< which recorded gradient went to which output
  std::string not_run;                     ///< why a recorded backward was not run to its end, or raised
  Notes notes;
};

/// Of sides whose forward is done; nothing where no backward was recorded. Does not throw for what backward does.
Gradients run_both_backward(const Session& session, const Rebuilt& rebuilt, const Side& device, const Side& golden,
                            const Alignment& alignment);

}  // namespace msprobe::check
