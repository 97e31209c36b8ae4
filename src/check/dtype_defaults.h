// Defaults that depend on the dtype (rms_norm's eps, matrix_rank's rtol): in float64 the golden would take another one
// than the recorded call did, and answer another question.
#pragma once
#include <string>

#include "check/rebuilt.h"
#include "check/session.h"

namespace msprobe::check {

struct Filled {
  inputs::Arguments arguments;
  std::string note;  ///< for Message; may be empty
};

/// The golden's arguments, with what PyTorch takes for the recorded dtype where the call leaves such a parameter out
/// (precision_standard.yaml, dtype_defaults; profile documented, and a golden that is raised).
Filled fill_dtype_defaults(const Session& session, const Rebuilt& rebuilt, inputs::Arguments golden);

}  // namespace msprobe::check
