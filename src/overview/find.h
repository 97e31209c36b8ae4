// The beginnings of a whole dump.
#pragma once
#include <optional>

#include "dump/index.h"
#include "overview/beginning.h"

namespace msprobe::overview {

struct Beginnings {
  std::optional<Beginning> output, gradient, zero;
};

/// The first of each kind: outputs in the order of the forward entries, gradients in that of the backward ones. Walks
/// over the bytes and parses only records that may be one, a fraction of a second for 100,000 APIs. Records that cannot
/// be read are passed over. Throws Error: config/beginnings.yaml; the file was changed.
Beginnings find_beginnings(const dump::Index& index);

/// Positions of index.entries() that have a backward entry, in the order in which these stand in the file.
std::vector<size_t> in_backward_order(const dump::Index& index);

}  // namespace msprobe::overview
