// What each room takes of a run's settings, as the struct that the room declares: made here and nowhere else.
#pragma once
#include "config/settings.h"
#include "report/options.h"

namespace msprobe::run {

report::Options report_options(const config::Settings& settings);

}  // namespace msprobe::run
