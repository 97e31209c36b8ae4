// What each room takes of a run's settings, as the struct that the room declares: made here and nowhere else.
#pragma once
#include <string>

#include "check/options.h"
#include "config/settings.h"
#include "config/standards.h"
#include "device/options.h"
#include "plan/select.h"
#include "report/options.h"

namespace msprobe::run {

device::Options device_options(const config::Settings& settings);
report::Options report_options(const config::Settings& settings);
/// `error_data_dir`: see check::Options.
check::Options check_options(const config::Settings& settings, const config::Standards& standards,
                             std::string error_data_dir);
plan::SelectOptions select_options(const config::Settings& settings);

}  // namespace msprobe::run
