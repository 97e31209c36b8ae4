// Activations that torch.nn.functional computes in Python.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

// softmax, log_softmax and softmin without dim: the first dimension of 0-, 1- and 3-D tensors, else the second.
Value softmax_like(const char* op, const PythonCall& c, const at::Tensor& input) {
  const auto rank = input.dim();
  const int64_t implicit = rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
  return aten(op, {input, c.has("dim") ? c["dim"] : Value(implicit), c["dtype"]});
}

constexpr const char* kSoftmax = "input, dim=None, _stacklevel=3, dtype=None";

MSPROBE_ADAPTOR("Functional.softmax") {
  const PythonCall c("softmax", kSoftmax, arguments);
  return softmax_like("softmax", c, c.tensor("input"));
}

MSPROBE_ADAPTOR("Functional.log_softmax") {
  const PythonCall c("log_softmax", kSoftmax, arguments);
  return softmax_like("log_softmax", c, c.tensor("input"));
}

MSPROBE_ADAPTOR("Functional.softmin") {
  const PythonCall c("softmin", kSoftmax, arguments);
  return softmax_like("softmax", c, aten_t("neg", {c["input"]}));
}

MSPROBE_ADAPTOR("Functional.softsign") {
  const PythonCall c("softsign", "input", arguments);
  return aten("div", {c["input"], aten_t("add", {aten_t("abs", {c["input"]}), 1})});
}

MSPROBE_ADAPTOR("Functional.tanhshrink") {
  const PythonCall c("tanhshrink", "input", arguments);
  return aten("sub", {c["input"], aten_t("tanh", {c["input"]})});
}

}  // namespace
}  // namespace msprobe::ops
