// Values to schema types and back.
#pragma once
#include <string>

#include "inputs/value.h"
#include "signatures/signature.h"

namespace msprobe::ops {

using inputs::Value;
using signatures::Kind;
using signatures::Parameter;

/// Turns `value` into an IValue of the parameter's type. False: it does not fit; `*why` (when given) says how.
/// `numbers`: a number may stand for a tensor. A tensor where a number is wanted is read (item()).
bool convert(const Parameter& parameter, const Value& value, bool numbers, c10::IValue& result, std::string* why);

/// The same as torch.ops.aten converts, which is laxer: None is an undefined tensor, 1 is true, true is 1.
bool convert_for_packet(const Parameter& parameter, const Value& value, bool numbers, c10::IValue& result,
                        std::string* why);

/// An item of an int list: an int, or a tensor of one integer.
bool as_list_item(const Value& value, int64_t& item);

/// The 0-dim tensor that torch makes of a number: of the widest dtype of its kind, marked to yield to real tensors.
at::Tensor wrapped_number(const at::Scalar& number);

/// A result as a Value. `is_dtype`: the schema says ScalarType, which LibTorch hands over as an integer.
Value to_value(const c10::IValue& result, bool is_dtype = false);

/// "Tensor float32[2, 3]", "int 3", "list [int 2, int 3]", "None": for messages.
std::string describe_value(const Value& value);

}  // namespace msprobe::ops
