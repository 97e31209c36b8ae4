#include "check/users_golden.h"

#include <algorithm>
#include <optional>
#include <string>

#include "check/shape_text.h"
#include "check/skip.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;

// What is known of an output.
struct Known {
  std::optional<std::vector<int64_t>> shape;  // nullopt: no tensor
  std::optional<at::ScalarType> dtype;
};

Known known_of(const Value& value) {
  const auto* t = value.get_if<at::Tensor>();
  if (t == nullptr || !t->defined()) return {};
  return {t->sizes().vec(), t->scalar_type()};
}

Known known_of(const dump::Argument& recorded) {
  const auto* meta = recorded.get_if<dump::TensorMeta>();
  if (meta == nullptr) return {};
  return {meta->shape, inputs::parse_scalar_type(meta->dtype)};
}

std::string shape_of(const Known& output) {
  return output.shape ? "shape " + shape_text(*output.shape) : "no tensor";
}

// Integers, floating numbers and complex ones are compared by rules of their own.
std::string_view kind_of(at::ScalarType dtype) {
  if (at::isComplexType(dtype)) return "complex";
  if (at::isFloatingType(dtype)) return "floating";
  return "integer";
}

// Why a golden of one dtype cannot judge an output of another; empty: it can.
std::string dtype_refusal(at::ScalarType golden, at::ScalarType output) {
  if (kind_of(golden) != kind_of(output)) return "another kind of number";
  if (!at::isFloatingType(golden) && !at::isComplexType(golden)) return "";
  return c10::elementSize(golden) < c10::elementSize(output) ? "less precision than what it is to judge" : "";
}

}  // namespace

void check_users_golden(const Session& session, const Rebuilt& r, const goldens::Golden& users,
                        const std::vector<Value>& golden, const std::vector<Value>& device, size_t judged) {
  const bool beside_operator = r.name().type != "NPU" || session.device.type() == "npu";
  std::vector<Known> given, expected;
  for (const Value& v : golden) given.push_back(known_of(v));
  if (beside_operator)
    for (const Value& v : device) expected.push_back(known_of(v));
  else
    for (const dump::Argument* a : r.recorded) expected.push_back(known_of(*a));
  if (!beside_operator && expected.empty()) return;
  const std::string who = "the golden (" + users.source + ") gives ";
  const std::string whose = beside_operator ? "the operator gives " : "recorded ";
  const size_t n = std::min(judged, expected.size());
  if (given.size() < n || (given.size() > expected.size() && judged > expected.size()))
    throw Skip(who + util::count_of(given.size(), "output") + ", " + whose + std::to_string(expected.size()));
  for (size_t i = 0; i < n; ++i) {
    const std::string output = "output " + std::to_string(i) + ": ";
    if (given[i].shape != expected[i].shape)
      throw Skip(output + who + shape_of(given[i]) + ", " + whose + shape_of(expected[i]));
    if (!given[i].shape || !expected[i].dtype) continue;
    const at::ScalarType dtype = *given[i].dtype;
    if (const std::string why = dtype_refusal(dtype, *expected[i].dtype); !why.empty())
      throw Skip(output + who + inputs::dtype_name(dtype) + ", " + whose + inputs::dtype_name(*expected[i].dtype) +
                 ": " + why);
  }
}

}  // namespace msprobe::check
