// The subcommand api_precision_compare: an NPU's details file judged by a GPU's.
#pragma once
#include "options/request.h"
#include "run/result.h"

namespace msprobe::cli {

/// Compares, prints the summary. Throws Error as long as nothing was written: bad usage or unreadable input.
run::Result api_precision_compare(const options::Request& request);

}  // namespace msprobe::cli
