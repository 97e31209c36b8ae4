// Eigenvectors and singular vectors are unique up to a factor of modulus 1 only, those of equal values up to a rotation
// among themselves, and no order of complex eigenvalues is due. Two right results may differ in all of that
// (docs/execution.md#decompositions), so the golden takes the device's choice before anything is compared.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "inputs/value.h"

namespace msprobe::check {

/// What had to be settled, or to be left open, before a decomposition's outputs could be compared.
struct Alignment {
  std::set<size_t> vectors;             ///< outputs that hold vectors
  std::map<size_t, at::Tensor> judged;  ///< output -> which of its columns can be judged, where not all can
  std::map<size_t, std::string> notes;  ///< output -> for the Message of its row
  std::string no_gradient;              ///< why gradients through the vectors cannot be judged; empty: they can
};

struct Aligned {
  std::vector<inputs::Value> golden;  ///< outputs
  Alignment alignment;
};

/// The golden's outputs, replaced by equivalent ones, as near to the device's as the freedom allows, within the graph
/// where grad_mode asks for one: gradients flow through them. `how`: the operator that gave the outputs
/// ("aten::linalg_svd"). They stay as they are for other calls, in profile mindstudio, and where the sides' shapes
/// differ or a value is not finite.
Aligned align_decomposition(config::Profile profile, std::string_view how, std::vector<inputs::Value> golden,
                            const std::vector<inputs::Value>& device, bool grad_mode);

}  // namespace msprobe::check
