// Counts of elements in bins: an element on a bin's edge may be counted on either side of it.
#pragma once
#include <optional>

#include "check/jumps.h"
#include "config/jumps.h"

namespace msprobe::check {

/// Golden counts, moved towards the device's as far as elements within one rounding error of an edge allow. nullopt:
/// none lies there, or the call's bins are not known.
std::optional<BesideJumps> counts_beside_edges(const Rebuilt& rebuilt, const config::Jump& jump,
                                               const at::Tensor& golden, const at::Tensor& device);

}  // namespace msprobe::check
