// The section operators of fused_operators.yaml.
#pragma once
#include <string>

#include "config/document.h"
#include "goldens/user/configuration.h"

namespace msprobe::goldens {

/// How the section is written, for errors.
constexpr const char* kOperatorsForm =
    "write `operators: {npu_x: {source: golden.py}}`; docs/fused-operators.md shows each kind";

/// Adds the operators of the section to `out`. Throws Error.
void read_operators(const std::string& path, const config::Node& section, Configuration& out);

}  // namespace msprobe::goldens
