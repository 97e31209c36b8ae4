// What checking APIs needs; lives in the process that runs operators.
#pragma once
#include "check/options.h"
#include "config/standards.h"
#include "device/device.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "outcome/stage.h"

namespace msprobe::check {

struct Session {
  Options options;
  const config::Standards& standards;
  const dump::Index& index;
  const goldens::Registry& goldens;
  device::Device& device;
  outcome::StageCell* stage = nullptr;  ///< null: nobody asks

  void enter(outcome::Stage s) const {
    if (stage != nullptr) stage->store(s, std::memory_order_relaxed);
  }
};

}  // namespace msprobe::check
