// One API on two sides (spec page execution.md): rebuild, call, backward, compare.
#pragma once
#include <string>

#include "config/settings.h"
#include "config/standards.h"
#include "device/device.h"
#include "dump/index.h"
#include "metrics/row.h"

namespace msprobe::run {

/// What checking an API needs; lives in the process that runs operators.
struct Session {
  const config::Settings& settings;
  const config::Standards& standards;
  const dump::Index& index;
  device::Device& device;
  std::string error_data_dir;  ///< ut_error_data{timestamp}; made when first needed
};

/// Checks API `i` of the index. Never throws for what the API does: errors become SKIP with their text.
metrics::ApiOutcome check_api(const Session& session, size_t i);

}  // namespace msprobe::run
