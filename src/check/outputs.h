// Results of a call as the flat list that rows are made of, and their likeness to what the dump recorded.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dump/argument.h"
#include "inputs/value.h"
#include "metrics/compare.h"

namespace msprobe::check {

/// Leaves of a result in order; lists and dicts are opened, None stays.
std::vector<inputs::Value> flatten(const inputs::Value& result);
/// The recorded leaves in the same order.
std::vector<const dump::Argument*> flatten(const dump::ArgumentList& recorded);

/// Empty when types, shapes and dtypes are those recorded; else the first difference in words:
/// "output 0: replay gives torch.float32 (2, 3), recorded torch.bfloat16 (2, 3)".
std::string difference_from_record(const std::vector<inputs::Value>& replayed,
                                   const std::vector<const dump::Argument*>& recorded);

/// Python's view of a result that is no tensor; nullopt for tensors.
std::optional<metrics::Builtin> as_builtin(const inputs::Value& value);

/// The tensor as figures take it: dense, dequantised, on the CPU, without a pending conjugate.
at::Tensor comparable(const at::Tensor& tensor);

/// "torch.float32 (2, 3)", "int", "None".
std::string describe_value(const inputs::Value& value);

}  // namespace msprobe::check
