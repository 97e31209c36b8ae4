#include "check/jump_arguments.h"

#include <ATen/ATen.h>
#include <ATen/native/TypeProperties.h>

#include <algorithm>

#include "config/api_facts.h"
#include "inputs/places.h"
#include "inputs/precision.h"
#include "signatures/find_argument.h"

namespace msprobe::check {
namespace {

using config::Jump;
using inputs::Value;

std::string text_of(const Value* value) {
  if (value == nullptr) return "";
  if (const auto* text = value->get_if<std::string>()) return *text;
  if (const auto* number = value->get_if<int64_t>()) return std::to_string(*number);
  return "";
}

bool holds(const Jump& jump, const Rebuilt& r) {
  return std::all_of(jump.when.begin(), jump.when.end(), [&](const auto& condition) {
    const auto& [parameter, values] = condition;
    const auto place =
        signatures::find_argument(config::installed_api_facts(), r.name(), inputs::shape_of(r.inputs), parameter).place;
    const std::string given = text_of(place ? &inputs::at(r.inputs, *place) : nullptr);
    return std::find(values.begin(), values.end(), given) != values.end();
  });
}

// A bool is a flag (out_int32, inplace), or as an operand the same in every dtype.
bool is_number(const Value& value) {
  return value.is<int64_t>() || value.is<double>() || value.is<c10::complex<double>>();
}

at::Scalar scalar_of(const Value& value) {
  if (const auto* integer = value.get_if<int64_t>()) return *integer;
  if (const auto* real = value.get_if<double>()) return *real;
  return value.get<c10::complex<double>>();
}

template <class F>
void for_each_operand(inputs::Arguments& arguments, const F& f) {
  for (Value& value : arguments.args) f(value);
  for (auto& [keyword, value] : arguments.kwargs)
    if (keyword != "out") f(value);
}

at::ScalarType promoted_dtype(inputs::Arguments& arguments) {
  at::native::ResultTypeState state = {};
  for_each_operand(arguments, [&](const Value& value) {
    if (const auto* t = value.get_if<at::Tensor>(); t != nullptr && t->defined())
      state = at::native::update_result_type_state(*t, state);
    else if (is_number(value))
      state = at::native::update_result_type_state(scalar_of(value), state);
  });
  return at::native::result_type(state);
}

// A number that the dtype holds stays what it is: an int stays an int.
Value rounded(const Value& number, at::ScalarType dtype) {
  const at::ScalarType widest = number.is<c10::complex<double>>() ? at::kComplexDouble : at::kDouble;
  const at::Tensor given = at::scalar_tensor(scalar_of(number), number.is<int64_t>() ? at::kLong : widest);
  const at::Tensor wide = given.to(dtype).to(at::isComplexType(dtype) ? at::kComplexDouble : at::kDouble);
  if (at::isComplexType(dtype)) {
    const auto value = wide.item<c10::complex<double>>();
    return number.is<c10::complex<double>>() ? Value(value) : Value(value.real());
  }
  const auto value = wide.item<double>();
  if (const auto* integer = number.get_if<int64_t>(); integer != nullptr && static_cast<double>(*integer) == value)
    return number;
  return value;
}

at::Tensor converted(const at::Tensor& t, at::ScalarType dtype) {
  at::Tensor copy = t.detach().to(dtype);
  return t.requires_grad() ? copy.requires_grad_(true) : copy;
}

}  // namespace

const Jump* jump_of(const Session& session, const Rebuilt& r) {
  if (session.options.profile() != config::Profile::kDocumented) return nullptr;
  const Jump* jump = session.standards.jumps.find(config::ApiNames(r.name()).with_plain_forms());
  return jump != nullptr && holds(*jump, r) ? jump : nullptr;
}

inputs::Arguments with_operands(inputs::Arguments arguments, Jump::Operands operands) {
  if (operands == Jump::Operands::kAsGiven) return arguments;
  const bool arithmetic = operands == Jump::Operands::kArithmetic;
  at::ScalarType dtype = promoted_dtype(arguments);
  if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) return arguments;
  if (arithmetic && (dtype == at::kHalf || dtype == at::kBFloat16)) dtype = at::kFloat;
  for_each_operand(arguments, [&](Value& value) {
    if (const auto* t = value.get_if<at::Tensor>(); t != nullptr && t->defined()) {
      const bool operand = t->scalar_type() != at::kBool && (!arithmetic || t->dim() == 0);
      if (operand && t->scalar_type() != dtype) value = converted(*t, dtype);
    } else if (is_number(value)) {
      value = rounded(value, dtype);
    }
  });
  return arguments;
}

inputs::Arguments raised_arguments(const Session& session, const Rebuilt& r) {
  const config::Profile profile = session.options.profile();
  const Jump* jump = jump_of(session, r);
  if (jump == nullptr) return inputs::golden_arguments(r.inputs, r.name(), profile);
  const inputs::Arguments operands = with_operands(r.inputs, jump->operands);
  return jump->single ? inputs::single_arguments(operands) : inputs::golden_arguments(operands, r.name(), profile);
}

inputs::Arguments second_arguments(const Session& session, const Rebuilt& r) {
  const Jump* jump = jump_of(session, r);
  return inputs::second_arguments(jump == nullptr ? r.inputs : with_operands(r.inputs, jump->operands));
}

}  // namespace msprobe::check
