// What a run's screen says of the dump's own story: where APIs were called, where inf, nan and zeros began.
#pragma once
#include <string>

#include "config/settings.h"
#include "dump/index.h"
#include "places/places.h"
#include "report/options.h"

namespace msprobe::run {

/// `options` with places of rows; with -v also in the log's line of each API. `places` must outlive them.
report::Options with_places(report::Options options, const config::Settings& settings, const places::Places& places);

/// A line for each kind that the dump holds, ending in '\n'; "": there is none. What goes wrong is a warning: the rows
/// are there, whatever else.
std::string beginnings_text(const dump::Index& index, const places::Places& places);

}  // namespace msprobe::run
