// The devices that device.cpp chooses from; one file each.
#pragma once
#include <memory>

#include "device/device.h"
#include "device/torch_npu.h"

namespace msprobe::device {

std::unique_ptr<Device> open_cpu();

bool libtorch_has_cuda();
/// Asks the driver, after which this process must not fork.
int count_cuda();
std::unique_ptr<Device> open_cuda(int index);

/// Of the torch_npu that is loaded. Asks the driver, after which this process must not fork.
int count_npu();
/// Loads torch_npu first.
std::unique_ptr<Device> open_npu(const TorchNpu& found, int index, bool jit_compile);

}  // namespace msprobe::device
