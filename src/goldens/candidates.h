// Ways to call what has a golden: NPU operators, and APIs that a user brought a golden of.
#pragma once
#include <string>
#include <vector>

#include "device/device.h"
#include "dump/api_name.h"
#include "goldens/registry.h"
#include "ops/registry.h"

namespace msprobe::goldens {

/// Ways to call `NPU.name`. golden: its golden, in the precision of its arguments. Device side: the real npu:: operator
/// on an NPU, the golden in recorded precision elsewhere. Empty: no golden is known and none is configured. APIs of
/// other types have candidates here only as golden, where a user brought one.
std::vector<ops::Candidate> candidates(const Registry& goldens, const dump::ApiName& name, bool golden,
                                       const device::Device& device);

/// Why `candidates` has none, for a Message.
std::string nothing_to_call(const Registry& goldens, const dump::ApiName& name);

}  // namespace msprobe::goldens
