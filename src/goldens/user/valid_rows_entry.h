// The section output_valid_rows of fused_operators.yaml.
#pragma once
#include <string>

#include "config/document.h"
#include "goldens/user/configuration.h"

namespace msprobe::goldens {

/// Adds the rules of the section to `out`; the schemas of its operators, those above the section, name arguments.
/// Throws Error.
void read_valid_rows(const std::string& path, const config::Node& section, Configuration& out);

}  // namespace msprobe::goldens
