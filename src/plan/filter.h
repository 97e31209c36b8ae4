// -f: of APIs that are alike in everything but the values of their tensors, the first is checked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dump/index.h"
#include "dump/record.h"

namespace msprobe::plan {

/// 128 bits of what -f compares: type and name of the API; its arguments, keyword arguments and outputs with everything
/// recorded about them except Max, Min, Mean, Norm, file names and other marks of one call; whether a backward was
/// recorded. Values of builtins count: `dim=0` and `dim=1` are two calls.
using Fingerprint = std::pair<uint64_t, uint64_t>;
Fingerprint fingerprint(const dump::Record& record);

/// `todo` without the APIs that a former one stands for. A record that cannot be read stays: its row says why.
std::vector<size_t> without_alike(const dump::Index& index, const std::vector<size_t>& todo);

}  // namespace msprobe::plan
