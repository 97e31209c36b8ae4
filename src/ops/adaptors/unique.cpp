// unique and unique_consecutive: of values, inverse and counts only what was asked for.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

Value asked(const Value& three, const PythonCall& c) {
  std::vector<Value> kept{tensor_at(three, 0)};
  if (c.boolean("return_inverse")) kept.push_back(tensor_at(three, 1));
  if (c.boolean("return_counts")) kept.push_back(tensor_at(three, 2));
  return kept.size() == 1 ? kept.front() : list_of(std::move(kept));
}

MSPROBE_ADAPTOR("Torch.unique", "Tensor.unique") {
  const PythonCall c("unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", arguments);
  if (!c.has("dim"))
    return asked(aten("_unique2", {c["input"], c["sorted"], c["return_inverse"], c["return_counts"]}), c);
  return asked(aten("unique_dim", {c["input"], c["dim"], c["sorted"], c["return_inverse"], c["return_counts"]}), c);
}

MSPROBE_ADAPTOR("Torch.unique_consecutive", "Tensor.unique_consecutive") {
  const PythonCall c("unique_consecutive", "input, return_inverse=False, return_counts=False, dim=None", arguments);
  return asked(aten("unique_consecutive", {c["input"], c["return_inverse"], c["return_counts"], c["dim"]}), c);
}

}  // namespace
}  // namespace msprobe::ops
