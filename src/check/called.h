// The second step of the check: the call on both sides, forward and backward.
#pragma once
#include <cstddef>
#include <string>

#include "check/decompositions.h"
#include "check/form.h"
#include "check/golden_call.h"
#include "check/gradients.h"
#include "check/notes.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "check/side.h"
#include "check/ways.h"

namespace msprobe::check {

struct Called {
  Side device, golden;
  std::string how;                                  ///< operator or adaptor of the device's side: "aten::linalg_svd"
  size_t judged_outputs = static_cast<size_t>(-1);  ///< only so many first outputs are compared
  bool changed_argument = false;                    ///< the outputs of a side are its changed first argument
  ops::Candidate cpu_way;                           ///< how the CPU makes the device's call
  Form form;                                        ///< of the record, as the device's call shows it
  GoldenCall golden_call;                           ///< how the golden was called
  Alignment alignment;
  Gradients gradients;
  Notes notes;  ///< what was assumed for forward
};

/// What the record does not tell is tried until the device gives what was recorded (form.h); the golden follows. Throws
/// Skip, and what the forward call itself throws; what backward throws stands in `gradients`.
Called call(const Session& session, const Rebuilt& rebuilt, Ways ways);

}  // namespace msprobe::check
