// Tensors of a failing (or of every) API as .pt files (docs/formats.md#saved-tensors).
#pragma once
#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::check {

/// What was compared, kept until the verdict is known; the tensors are those of the call, not copies.
struct Evidence {
  inputs::Arguments inputs;                   ///< recorded dtypes, before any call changed them
  std::vector<inputs::Value> gradients;       ///< of the outputs
  std::vector<inputs::Value> golden, device;  ///< flat forward results
  std::vector<at::Tensor> golden_gradients, device_gradients;
};

/// Writes `evidence` of `api` into `directory` (made when absent). Returns a message when something could not be saved,
/// naming path and reason; never throws: the run goes on.
std::string save_evidence(const std::string& directory, const std::string& api, const Evidence& evidence);

}  // namespace msprobe::check
