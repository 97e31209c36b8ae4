// Where the arguments of a recorded call stand, and how messages name them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "dump/record.h"
#include "inputs/value.h"
#include "signatures/find_argument.h"

namespace msprobe::inputs {

using signatures::Place;

/// "nll_loss" of Functional.nll_loss and of Aten.nll_loss.default.
std::string_view operator_name(const dump::ApiName& name);

/// What a rebuilt call looks like, for signatures::find_argument.
signatures::CallShape shape_of(const Arguments& arguments);

const dump::Argument& at(const dump::ForwardRecord& call, Place place);
Value& at(Arguments& arguments, Place place);
const Value& at(const Arguments& arguments, Place place);
const dump::TensorMeta* tensor_at(const dump::ForwardRecord& call, const std::optional<Place>& place);

/// What seeds the argument's tensors (build.h): "input.1", "kwargs.weight".
std::string position_of(const dump::ForwardRecord& call, Place place);
/// For messages: "input.1.2" -> "input 1.2", "kwargs.weight" -> "weight", "backward.input.0" -> "output gradient 0".
std::string readable(std::string_view position);
/// The same of an argument: "input 1", "weight".
std::string label_of(const Arguments& arguments, Place place);

}  // namespace msprobe::inputs
