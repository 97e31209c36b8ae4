// What checking APIs needs; lives in the process that runs operators.
#pragma once
#include <string>

#include "config/settings.h"
#include "config/standards.h"
#include "device/device.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "outcome/stage.h"

namespace msprobe::check {

struct Session {
  const config::Settings& settings;
  const config::Standards& standards;
  const dump::Index& index;
  const goldens::Registry& goldens;
  device::Device& device;
  std::string error_data_dir;           ///< ut_error_data{timestamp}; made when first needed
  outcome::StageCell* stage = nullptr;  ///< null: nobody asks

  void enter(outcome::Stage s) const {
    if (stage != nullptr) stage->store(s, std::memory_order_relaxed);
  }
};

}  // namespace msprobe::check
