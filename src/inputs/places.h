// Where the arguments of a recorded call stand, and how messages name them.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "dump/record.h"
#include "inputs/value.h"

namespace msprobe::inputs {

/// Where an argument stands: in args or in kwargs.
struct Place {
  bool keyword = false;
  size_t index = 0;
  bool operator==(const Place&) const = default;
};

/// "nll_loss" of Functional.nll_loss and of Aten.nll_loss.default.
std::string_view operator_name(const dump::ApiName& name);

/// The argument at `position` (beyond all: none stands by position), else the first of `keywords` that was given.
std::optional<Place> find(const dump::ForwardRecord& call, size_t position,
                          std::initializer_list<std::string_view> keywords);

const dump::Argument& at(const dump::ForwardRecord& call, Place place);
Value& at(Arguments& arguments, Place place);
const dump::TensorMeta* tensor_at(const dump::ForwardRecord& call, const std::optional<Place>& place);

/// What seeds the argument's tensors (build.h): "input.1", "kwargs.weight".
std::string position_of(const dump::ForwardRecord& call, Place place);
/// For messages: "input.1.2" -> "input 1.2", "kwargs.weight" -> "weight", "backward.input.0" -> "output gradient 0".
std::string readable(std::string_view position);
/// The same of an argument: "input 1", "weight".
std::string label_of(const Arguments& arguments, Place place);

}  // namespace msprobe::inputs
