// Methods that Python answers or assembles by itself: conversions to Python objects, shapes, dunders.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

// ---- dunders

MSPROBE_ADAPTOR("Tensor.__rdiv__", "Tensor.__rtruediv__") {
  const PythonCall c("Tensor.__rdiv__", "self, other", arguments);
  return aten("mul", {aten_t("reciprocal", {c["self"]}), c["other"]});
}

MSPROBE_ADAPTOR("Tensor.__len__") {
  const at::Tensor self = PythonCall("Tensor.__len__", "self", arguments).tensor("self");
  TORCH_CHECK_TYPE(self.dim() > 0, "len() of a 0-d tensor");
  return self.size(0);
}

MSPROBE_ADAPTOR("Tensor.__bool__", "Tensor.__nonzero__") {
  return aten("is_nonzero", {PythonCall("Tensor.__bool__", "self", arguments)["self"]});
}

MSPROBE_ADAPTOR("Tensor.__contains__") {
  const PythonCall c("Tensor.__contains__", "self, element", arguments);
  return aten("item", {aten_t("any", {aten_t("eq", {c["self"], c["element"]})})});
}

MSPROBE_ADAPTOR("Tensor.__reversed__") {
  const at::Tensor self = PythonCall("Tensor.__reversed__", "self", arguments).tensor("self");
  return self.dim() == 0 ? Value(self) : aten("flip", {self, list_of({0})});
}

MSPROBE_ADAPTOR("Tensor.__iter__") {
  const at::Tensor self = PythonCall("Tensor.__iter__", "self", arguments).tensor("self");
  TORCH_CHECK_TYPE(self.dim() > 0, "iteration over a 0-d tensor");
  return aten("unbind", {self, 0});
}

// ---- Python numbers

Value item(const Arguments& arguments) {
  return aten("item", {PythonCall("Tensor.item", "self", arguments)["self"]});
}

MSPROBE_ADAPTOR("Tensor.item") {
  return item(arguments);
}
MSPROBE_ADAPTOR("Tensor.__float__") {
  return as_double(item(arguments), "Tensor.__float__");
}
MSPROBE_ADAPTOR("Tensor.__int__", "Tensor.__index__", "Tensor.__long__") {
  const Value number = item(arguments);
  const auto* x = number.get_if<double>();
  return x ? static_cast<int64_t>(*x) : as_integer(number, "Tensor.__int__");
}
MSPROBE_ADAPTOR("Tensor.__complex__") {
  const Value number = item(arguments);
  if (number.is<c10::complex<double>>()) return number;
  return c10::complex<double>(as_double(number, "Tensor.__complex__"), 0);
}

Value nested(const at::Tensor& t) {
  if (t.dim() == 0) return aten("item", {t});
  std::vector<Value> items;
  for (int64_t i = 0; i < t.size(0); ++i) items.push_back(nested(t.select(0, i)));
  return list_of(std::move(items));
}

MSPROBE_ADAPTOR("Tensor.tolist") {
  return nested(PythonCall("Tensor.tolist", "self", arguments).tensor("self").detach().cpu());
}

// ---- as arrays

MSPROBE_ADAPTOR("Tensor.numpy") {
  const PythonCall c("Tensor.numpy", "self, *, force=False", arguments);
  return aten("detach", {c["self"]});
}

MSPROBE_ADAPTOR("Tensor.__array__") {
  const PythonCall c("Tensor.__array__", "self, dtype=None", arguments);
  const at::Tensor array = aten_t("detach", {c["self"]});
  return c["dtype"].is<at::ScalarType>() ? aten("to", {array, c["dtype"]}) : Value(array);
}

// ---- shapes

Value sizes_or_one(const PythonCall& c, at::IntArrayRef all, bool is_size) {
  if (c.has("dim")) {
    // Of a tensor without dimensions Python has no size(0), unlike sum(0).
    const auto rank = static_cast<int64_t>(all.size());
    return all[static_cast<size_t>(at::maybe_wrap_dim(c.integer("dim"), rank, /*wrap_scalar=*/false))];
  }
  Value list = list_of(all);
  list.get<List>().is_size = is_size;
  return list;
}

MSPROBE_ADAPTOR("Tensor.size") {
  const PythonCall c("Tensor.size", "self, dim=None", arguments);
  const at::Tensor self = c.tensor("self");
  return sizes_or_one(c, self.sizes(), true);
}

MSPROBE_ADAPTOR("Tensor.stride") {
  const PythonCall c("Tensor.stride", "self, dim=None", arguments);
  const at::Tensor self = c.tensor("self");
  return sizes_or_one(c, self.strides(), false);
}

at::Tensor only_self(const char* method, const Arguments& arguments) {
  return PythonCall(method, "self", arguments).tensor("self");
}

MSPROBE_ADAPTOR("Tensor.dim", "Tensor.ndimension") {
  return only_self("Tensor.dim", arguments).dim();
}
MSPROBE_ADAPTOR("Tensor.numel", "Tensor.nelement", "Torch.numel") {
  return only_self("Tensor.numel", arguments).numel();
}
MSPROBE_ADAPTOR("Tensor.element_size") {
  return only_self("Tensor.element_size", arguments).element_size();
}
MSPROBE_ADAPTOR("Tensor.is_contiguous") {
  const PythonCall c("Tensor.is_contiguous", "self, memory_format=None", arguments);
  const auto* format = c["memory_format"].get_if<at::MemoryFormat>();
  return c.tensor("self").is_contiguous(format ? *format : at::MemoryFormat::Contiguous);
}

MSPROBE_ADAPTOR("Torch.is_tensor") {
  const PythonCall c("torch.is_tensor", "obj", arguments);
  return c["obj"].is_tensor();
}

}  // namespace
}  // namespace msprobe::ops
