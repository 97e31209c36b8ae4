#include "check/dtype_defaults.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "check/epsilon.h"
#include "ops/asked.h"
#include "ops/registry.h"

namespace msprobe::check {
namespace {

using config::DtypeDefault;
using inputs::Arguments;
using inputs::Value;

const at::Tensor* first_tensor(const Arguments& arguments) {
  for (const Value& a : arguments.args)
    if (a.is_tensor()) return &a.get<at::Tensor>();
  for (const auto& [name, a] : arguments.kwargs)
    if (a.is_tensor()) return &a.get<at::Tensor>();
  return nullptr;
}

bool rms_norm_computes_in_float(at::ScalarType dtype) {
  const at::Tensor small = at::full({1}, 0x1p-10, dtype);
  return ops::aten("rms_norm", {small, inputs::List{{Value(int64_t{1})}, false}}).get<at::Tensor>().item<double>() >
         0.5;
}

// For float16 and bfloat16 PyTorch takes the eps of the dtype that it computes in, older releases the input's own: it
// is asked once.
double rms_norm_epsilon(at::ScalarType dtype) {
  if (dtype != at::kHalf && dtype != at::kBFloat16) return epsilon_of(at::kFloat);
  static const bool half = rms_norm_computes_in_float(at::kHalf), bfloat16 = rms_norm_computes_in_float(at::kBFloat16);
  return (dtype == at::kHalf ? half : bfloat16) ? epsilon_of(at::kFloat) : epsilon_of(dtype);
}

std::optional<double> default_value(DtypeDefault rule, const at::Tensor& input) {
  if (rule == DtypeDefault::kEps) return rms_norm_epsilon(input.scalar_type());
  if (input.dim() < 2) return std::nullopt;
  return epsilon_of(input.scalar_type()) * static_cast<double>(std::max(input.size(-1), input.size(-2)));
}

// An atol above 0 switches the default rtol off.
Value beside_atol(double value, const Value* atol) {
  if (atol == nullptr || atol->is_none()) return value;
  if (const auto* t = atol->get_if<at::Tensor>())
    return at::where(t->detach().gt(0), at::zeros({}, at::kDouble), at::full({}, value, at::kDouble));
  const auto* number = atol->get_if<double>();
  const auto* whole = atol->get_if<int64_t>();
  return (number != nullptr && *number > 0) || (whole != nullptr && *whole > 0) ? 0.0 : value;
}

void put(Arguments& arguments, const std::string& parameter, std::optional<size_t> place, const Value& value) {
  if (place) {
    arguments.args[*place] = value;
    return;
  }
  for (auto& [name, old] : arguments.kwargs) {
    if (name != parameter) continue;
    old = value;
    return;
  }
  arguments.kwargs.emplace_back(parameter, value);
}

// A parameter that the call leaves out.
struct LeftOut {
  std::string parameter;
  std::optional<size_t> place;  // given as None by position
  double value = 0;             // for the recorded dtype
  at::ScalarType dtype;
};

std::optional<LeftOut> left_out(const Session& session, const Rebuilt& r) {
  if (session.options.profile() != config::Profile::kDocumented || r.not_raised) return std::nullopt;
  // NPU operators and users' goldens bring defaults of their own.
  if (r.name().type == "NPU" || session.goldens.users_golden(r.name()) != nullptr) return std::nullopt;
  const auto* found = session.standards.dtype_defaults.find(config::ApiNames(r.name()));
  if (found == nullptr) return std::nullopt;
  const auto& [parameter, rule] = *found;
  const ops::Asked asked = ops::ask(r.name(), r.inputs, parameter);
  if (!asked.known || (asked.value != nullptr && !asked.value->is_none())) return std::nullopt;
  const at::Tensor* input = first_tensor(r.inputs);
  if (input == nullptr) return std::nullopt;
  const at::ScalarType dtype = input->scalar_type();
  if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) return std::nullopt;
  if (c10::toRealValueType(dtype) == at::kDouble) return std::nullopt;  // as the golden
  const auto value = default_value(rule, *input);
  if (!value) return std::nullopt;
  return LeftOut{parameter, asked.place, *value, dtype};
}

}  // namespace

Filled fill_dtype_defaults(const Session& session, const Rebuilt& r, Arguments golden) {
  Filled filled{std::move(golden), ""};
  const auto lacking = left_out(session, r);
  if (!lacking) return filled;
  const Value given = beside_atol(lacking->value, ops::ask(r.name(), filled.arguments, "atol").value);
  put(filled.arguments, lacking->parameter, lacking->place, given);
  if (given.is<double>() && given.get<double>() == 0) return filled;  // whatever the dtype
  char text[40];
  std::snprintf(text, sizeof text, "%.8g", lacking->value);
  filled.note = "golden with " + lacking->parameter + "=" + text + ", PyTorch's default for " +
                inputs::dtype_name(lacking->dtype);
  return filled;
}

}  // namespace msprobe::check
