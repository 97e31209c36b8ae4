// The devices that device.cpp chooses from; one file each.
#pragma once
#include <memory>

#include "device/device.h"

namespace msprobe::device {

std::unique_ptr<Device> open_cpu();

}  // namespace msprobe::device
