// The assessment of an output (docs/compare.md#assessment): is an error explained by the GPU's figures or by what the
// NPU's file says of it, and is a pass without a suspicion of that file?
#pragma once
#include <string>
#include <vector>

#include "compare/judgement.h"
#include "compare/told.h"

namespace msprobe::compare {

struct Explained {
  outcome::Assessment word = outcome::Assessment::kNone;
  std::string clause;  ///< the last one of the Message; empty where the word has none
  std::string note;    ///< stands before it; mostly empty
};

/// What both files say of an output.
struct Sides {
  const Subject& subject;
  const Told &npu, &gpu;
};

/// A pass: suspect where the NPU's file says so, unless the GPU is as far from the golden by its plain figures.
Explained assess_pass(const Sides& sides);

/// An error by figures.
Explained assess_error(const Sides& sides, const std::vector<Finding>& findings);

/// An error that figures do not tell (told.h).
Explained assess_error_beside_figures(const Sides& sides);

/// `the GPU is wrong too: ...` with its Message, or the figures that failed; empty unless the GPU's Status is error.
std::string gpu_is_wrong_too(const Sides& sides, const std::vector<Finding>& findings);

/// The NPU's Message on one line, without the clause of its assessment.
std::string message_without_clause(const Told& npu);

}  // namespace msprobe::compare
