// Tensors made of Python numbers: torch.tensor and its relatives.
#include "ops/adaptors/python.h"
#include "ops/adaptors/tensor_data.h"

namespace msprobe::ops {
namespace {

at::Device device_of(const Value& v, const at::Device& otherwise) {
  if (const auto* device = v.get_if<at::Device>()) return *device;
  if (const auto* name = v.get_if<std::string>()) return at::Device(*name);
  return otherwise;
}

std::optional<at::ScalarType> dtype_of(const Value& v) {
  if (const auto* dtype = v.get_if<at::ScalarType>()) return *dtype;
  return std::nullopt;
}

at::Device home(const Value& data) {
  const auto* t = data.get_if<at::Tensor>();
  return t ? t->device() : at::Device(at::kCPU);
}

// A copy without history; only what requires_grad asks for is recorded from here on.
Value copy_of(const Value& data, const PythonCall& c, std::optional<at::ScalarType> dtype, const at::Device& device) {
  at::Tensor result = tensor_of_data(data, dtype).to(device);
  if (c.boolean("requires_grad")) result.set_requires_grad(true);
  return result;
}

MSPROBE_ADAPTOR("Torch.tensor") {
  const PythonCall c("torch.tensor",
                     "data, *, dtype=None, device=None, requires_grad=False, pin_memory=False, names=None", arguments);
  return copy_of(c["data"], c, dtype_of(c["dtype"]), device_of(c["device"], home(c["data"])));
}

MSPROBE_ADAPTOR("Tensor.new_tensor") {
  const PythonCall c("Tensor.new_tensor",
                     "self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False",
                     arguments);
  const at::Tensor self = c.tensor("self");
  return copy_of(c["data"], c, dtype_of(c["dtype"]).value_or(self.scalar_type()),
                 device_of(c["device"], self.device()));
}

// A tensor passes through, with its history, unless dtype or device change.
Value as_tensor(const Value& data, const Value& dtype, const Value& device, bool copy) {
  const auto* t = data.get_if<at::Tensor>();
  if (!t) return tensor_of_data(data, dtype_of(dtype)).to(device_of(device, at::kCPU));
  const at::Device target = device_of(device, t->device());
  const at::Tensor moved = target == t->device() ? *t : t->to(target);
  return aten("to", {moved, dtype_of(dtype).value_or(t->scalar_type()), false, copy});
}

MSPROBE_ADAPTOR("Torch.as_tensor") {
  const PythonCall c("torch.as_tensor", "data, dtype=None, device=None", arguments);
  return as_tensor(c["data"], c["dtype"], c["device"], false);
}

// requires_grad left out keeps what obj has.
MSPROBE_ADAPTOR("Torch.asarray") {
  const PythonCall c("torch.asarray", "obj, *, dtype=None, device=None, copy=None, requires_grad=None", arguments);
  const Value result = as_tensor(c["obj"], c["dtype"], c["device"], c.boolean("copy"));
  if (!c.has("requires_grad")) return result;
  if (!c.boolean("requires_grad")) return aten("detach", {result});
  at::Tensor array = result.get<at::Tensor>();
  if (!array.requires_grad()) array.set_requires_grad(true);
  return array;
}

MSPROBE_ADAPTOR("Torch.from_numpy") {
  return PythonCall("torch.from_numpy", "ndarray", arguments).tensor("ndarray");
}

// TorchScript's name for torch.tensor of a list.
MSPROBE_ADAPTOR("Aten._list_to_tensor") {
  return tensor_of_data(PythonCall("aten::_list_to_tensor", "self", arguments)["self"], at::kLong);
}

}  // namespace
}  // namespace msprobe::ops
