// Casts: Tensor.float() and its siblings, Tensor.type(), Tensor.to() and its devices.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

struct Cast {
  const char* api;
  at::ScalarType dtype;
};

constexpr Cast kCasts[] = {
    {"Tensor.bfloat16", at::kBFloat16},
    {"Tensor.bool", at::kBool},
    {"Tensor.byte", at::kByte},
    {"Tensor.cdouble", at::kComplexDouble},
    {"Tensor.cfloat", at::kComplexFloat},
    {"Tensor.chalf", at::kComplexHalf},
    {"Tensor.char", at::kChar},
    {"Tensor.double", at::kDouble},
    {"Tensor.float", at::kFloat},
    {"Tensor.half", at::kHalf},
    {"Tensor.int", at::kInt},
    {"Tensor.long", at::kLong},
    {"Tensor.short", at::kShort},
};

struct RegisterCasts {
  RegisterCasts() {
    for (const Cast& cast : kCasts) {
      AdaptorRegistration({cast.api}, [cast](const Arguments& arguments) -> Value {
        const PythonCall c(cast.api, "self, memory_format=None", arguments);
        return aten("to", {c["self"], cast.dtype}, {{"memory_format", c["memory_format"]}});
      });
    }
  }
};
const RegisterCasts casts;

struct TypeName {
  std::string_view word;
  at::ScalarType dtype;
};

// "torch.FloatTensor", "torch.cuda.HalfTensor"
constexpr TypeName kTypeNames[] = {
    {"Float", at::kFloat},
    {"Double", at::kDouble},
    {"Half", at::kHalf},
    {"BFloat16", at::kBFloat16},
    {"Long", at::kLong},
    {"Int", at::kInt},
    {"Short", at::kShort},
    {"Char", at::kChar},
    {"Byte", at::kByte},
    {"Bool", at::kBool},
    {"ComplexFloat", at::kComplexFloat},
    {"ComplexDouble", at::kComplexDouble},
    {"ComplexHalf", at::kComplexHalf},
};

// Without the device, which is another one for the golden.
std::string type_name(const at::Tensor& t) {
  for (const auto& [word, dtype] : kTypeNames) {
    if (dtype == t.scalar_type()) return "torch." + std::string(word) + "Tensor";
  }
  throw NoMatch("Tensor.type: no type name for " + inputs::dtype_name(t.scalar_type()));
}

at::ScalarType dtype_of_type(const std::string& name) {
  std::string_view word = name;
  word.remove_prefix(word.rfind('.') + 1);
  if (word.ends_with("Tensor")) {
    word.remove_suffix(6);
    for (const auto& [known, dtype] : kTypeNames) {
      if (known == word) return dtype;
    }
  } else if (const auto dtype = inputs::parse_scalar_type(name)) {
    return *dtype;
  }
  throw NoMatch("Tensor.type: no tensor type \"" + name + "\"");
}

[[noreturn]] void dtype_is_lost(const char* api) {
  throw NoMatch(std::string(api) + ": the dtype was given by position, which the dump does not record");
}

MSPROBE_ADAPTOR("Tensor.type") {
  const PythonCall c("Tensor.type", "self, dtype=None, non_blocking=False", arguments);
  if (!c.has("dtype")) return type_name(c.tensor("self"));
  const Value& dtype = c["dtype"];
  if (dtype.is<Opaque>()) dtype_is_lost("Tensor.type");
  if (dtype.is<std::string>()) return aten("to", {c["self"], dtype_of_type(c.string("dtype"))});
  return aten("to", {c["self"], dtype});
}

bool names_device(const Value& v) {
  return v.is<at::Device>() || v.is<std::string>();
}

// Where the tensor goes is no matter of the replay: it stays on the device under test. What is left is dtype and
// layout.
//   to(dtype, ..), to(device, dtype, ..), to(tensor, ..), each also by keyword
MSPROBE_ADAPTOR("Tensor.to") {
  const auto& args = arguments.args;
  if ((args.size() > 1 && args[1].is_tensor()) || arguments.kwarg("tensor")) {
    const PythonCall c("Tensor.to", "self, tensor, non_blocking=False, copy=False, *, memory_format=None", arguments);
    return aten("to", {c["self"], c["tensor"], false, c["copy"]}, {{"memory_format", c["memory_format"]}});
  }
  const bool dtype_first = args.size() > 1 && (args[1].is<at::ScalarType>() || args[1].is<Opaque>());
  const char* declaration =
      dtype_first ? "self, dtype, non_blocking=False, copy=False, *, memory_format=None, device=None"
                  : "self, device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None";
  const PythonCall c("Tensor.to", declaration, arguments);
  if (c["dtype"].is<Opaque>()) dtype_is_lost("Tensor.to");
  if (c.has("device") && !names_device(c["device"]) && !c["device"].is<int64_t>()) {
    throw NoMatch("Tensor.to: expected a device, a dtype or a tensor");
  }
  const at::Tensor self = c.tensor("self");
  const Value dtype = c.has("dtype") ? c["dtype"] : Value(self.scalar_type());
  return aten("to", {self, dtype, false, c["copy"]}, {{"memory_format", c["memory_format"]}});
}

MSPROBE_ADAPTOR("Tensor.cpu", "Tensor.cuda", "Tensor.npu") {
  const PythonCall c("Tensor.cpu", "self, device=None, non_blocking=False, *, memory_format=None", arguments);
  const at::Tensor self = c.tensor("self");
  return aten("to", {self, self.scalar_type(), false, false}, {{"memory_format", c["memory_format"]}});
}

}  // namespace
}  // namespace msprobe::ops
