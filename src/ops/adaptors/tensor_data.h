// Nested Python numbers as a tensor.
#pragma once
#include <optional>

#include "inputs/value.h"

namespace msprobe::ops {

/// The dtype that torch.tensor(data) chooses: bool, int64, the default float or complex dtype, or that of tensors in
/// it; mixed kinds are promoted. An empty list counts as float.
at::ScalarType dtype_of_data(const inputs::Value& data);

/// torch.tensor(data): a number, a tensor, or lists of these to any depth, all of a level equally long. A new CPU
/// tensor without history. Throws NoMatch for ragged lists and for items that are no numbers.
at::Tensor tensor_of_data(const inputs::Value& data, std::optional<at::ScalarType> dtype = std::nullopt);

}  // namespace msprobe::ops
