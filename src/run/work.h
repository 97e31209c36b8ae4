#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "dump/index.h"
#include "goldens/registry.h"

namespace msprobe::run {

/// What a run is to check, and by what.
struct Work {
  const config::Settings& settings;  ///< device_type is chosen
  const config::Standards& standards;
  const dump::Index& index;
  const goldens::Registry& goldens;
  const std::vector<size_t>& todo;  ///< indices into `index`, dump order: a job is a position in it
  std::string error_data_dir;       ///< ut_error_data{timestamp}
};

}  // namespace msprobe::run
