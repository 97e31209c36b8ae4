// NPU fused operators: their schemas and float64 references (spec page fused-operators.md).
#pragma once
#include <vector>

#include "device/device.h"
#include "dump/api_name.h"
#include "ops/registry.h"

namespace msprobe::fused {

/// Ways to call `NPU.name`. golden: the reference, in the precision of its arguments. Device side: the real npu::
/// operator on an NPU, the reference in recorded precision elsewhere. Empty: no reference is known and none is
/// configured.
std::vector<ops::Candidate> candidates(const dump::ApiName& name, const inputs::Arguments& arguments, bool golden,
                                       const device::Device& device);

}  // namespace msprobe::fused
