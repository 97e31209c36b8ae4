// The subcommand diff: two runs of one dump against each other.
#pragma once
#include "options/request.h"
#include "run/result.h"

namespace msprobe::cli {

/// Compares, prints the summary. Throws Error for bad usage and what cannot be compared.
run::Result diff(const options::Request& request);

}  // namespace msprobe::cli
