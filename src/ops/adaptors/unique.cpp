// unique and unique_consecutive: of values, inverse and counts only what was asked for.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

Value kept(const Value& three, bool inverse, bool counts) {
  std::vector<Value> kept{tensor_at(three, 0)};
  if (inverse) kept.push_back(tensor_at(three, 1));
  if (counts) kept.push_back(tensor_at(three, 2));
  return kept.size() == 1 ? kept.front() : list_of(std::move(kept));
}

Value asked(const Value& three, const PythonCall& c) {
  return kept(three, c.boolean("return_inverse"), c.boolean("return_counts"));
}

bool is_true(const Value& value) {
  if (const auto* flag = value.get_if<bool>()) return *flag;
  if (const auto* number = value.get_if<int64_t>()) return *number != 0;
  return !value.is_none();
}

// A flag as Python's dispatch by result type looks it up, by keyword or at a place, before parameters are bound.
bool dispatch_flag(const Arguments& arguments, std::string_view keyword, size_t place) {
  if (const Value* value = arguments.kwarg(keyword)) return is_true(*value);
  return place < arguments.args.size() && is_true(arguments.args[place]);
}

MSPROBE_ADAPTOR("Torch.unique", "Tensor.unique") {
  const PythonCall c("unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", arguments);
  if (!c.has("dim"))
    return asked(aten("_unique2", {c["input"], c["sorted"], c["return_inverse"], c["return_counts"]}), c);
  return asked(aten("unique_dim", {c["input"], c["dim"], c["sorted"], c["return_inverse"], c["return_counts"]}), c);
}

constexpr std::string_view kConsecutive = "input, return_inverse=False, return_counts=False, dim=None";

Value consecutive(const PythonCall& c) {
  return aten("unique_consecutive", {c["input"], c["return_inverse"], c["return_counts"], c["dim"]});
}

MSPROBE_ADAPTOR("Tensor.unique_consecutive") {
  const PythonCall c("unique_consecutive", kConsecutive, arguments);
  return asked(consecutive(c), c);
}

// torch.unique_consecutive looks for return_counts in the place of return_inverse, and for return_inverse in that of
// return_counts. What is computed follows the parameters, so (x, True) gives the values and counts that are empty.
MSPROBE_ADAPTOR("Torch.unique_consecutive") {
  const PythonCall c("unique_consecutive", kConsecutive, arguments);
  return kept(consecutive(c), dispatch_flag(arguments, "return_inverse", 2),
              dispatch_flag(arguments, "return_counts", 1));
}

}  // namespace
}  // namespace msprobe::ops
