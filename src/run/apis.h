// What can be replayed, for people to read.
#pragma once
#include "config/settings.h"

namespace msprobe::run {

/// Prints one line a name of config/api_universe.txt to stdout: how it would be replayed, or why not (coverage.h); then
/// totals by prefix. settings.only: a regular expression on the name; empty: all. Error when nothing matches.
void apis(const config::Settings& settings);

}  // namespace msprobe::run
