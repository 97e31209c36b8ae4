// --list: what a run would do, without doing it and without a device.
#pragma once
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "dump/index.h"
#include "goldens/registry.h"

namespace msprobe::run {

/// Prints one line an API to stdout: name, dtypes and shapes of its tensors, and the operator it would run, or why it
/// would be skipped; then a line with the counts.
void list_apis(const dump::Index& index, const std::vector<size_t>& selected, const config::Settings& settings,
               const config::Standards& standards, const goldens::Registry& goldens);

}  // namespace msprobe::run
