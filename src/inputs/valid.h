// Drawn values that a call can take. Some arguments must be ordered, sum up to something, or select as many elements as
// the recorded output has; noise within their Min and Max makes the call fail or do something else than the recorded
// one did. config/signatures.yaml says which argument of which API keeps which rule.
//
// Shapes, dtypes, and Min and Max are kept where the rule allows it; tensors read from files are never touched, and
// what keeps its rule as drawn stays as it is. Each change is a line of `notes`.
#pragma once
#include <string>
#include <vector>

#include "inputs/build.h"

namespace msprobe::inputs {

/// Throws Error (file and line) where the table names a rule that neither this nor conversions.h knows.
void require_known_rules(const config::FactTable& known);

void make_valid(const dump::Record& record, const BuildContext& context, Arguments& arguments,
                std::vector<std::string>& notes);

}  // namespace msprobe::inputs
