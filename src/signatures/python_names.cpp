#include "signatures/python_names.h"

#include <algorithm>
#include <iterator>

namespace msprobe::signatures {
namespace {

constexpr auto kMethod = DunderKind::kMethod;
constexpr auto kFunction = DunderKind::kFunction;
constexpr auto kSwapped = DunderKind::kSwapped;

// Not here: __rdiv__ and __rtruediv__ (reciprocal times other), indexing, __len__, __bool__: those are adaptors.
constexpr Dunder kDunders[] = {
    {"add", "add", kMethod},
    {"radd", "add", kMethod},
    {"iadd", "add_", kMethod},
    {"sub", "sub", kMethod},
    {"rsub", "rsub", kFunction},
    {"isub", "sub_", kMethod},
    {"mul", "mul", kMethod},
    {"rmul", "mul", kMethod},
    {"imul", "mul_", kMethod},
    {"truediv", "div", kMethod},
    {"div", "div", kMethod},
    {"itruediv", "div_", kMethod},
    {"idiv", "div_", kMethod},
    {"floordiv", "floor_divide", kMethod},
    {"rfloordiv", "floor_divide", kSwapped},
    {"ifloordiv", "floor_divide_", kMethod},
    {"mod", "remainder", kMethod},
    {"rmod", "remainder", kSwapped},
    {"imod", "remainder_", kMethod},
    {"pow", "pow", kMethod},
    {"rpow", "pow", kSwapped},
    {"ipow", "pow_", kMethod},
    {"matmul", "matmul", kMethod},
    {"rmatmul", "matmul", kSwapped},
    {"eq", "eq", kMethod},
    {"ne", "ne", kMethod},
    {"lt", "lt", kMethod},
    {"le", "le", kMethod},
    {"gt", "gt", kMethod},
    {"ge", "ge", kMethod},
    {"neg", "neg", kMethod},
    {"pos", "positive", kMethod},
    {"abs", "abs", kMethod},
    {"invert", "bitwise_not", kMethod},
    {"and", "__and__", kMethod},
    {"rand", "bitwise_and", kMethod},
    {"iand", "__iand__", kMethod},
    {"or", "__or__", kMethod},
    {"ror", "bitwise_or", kMethod},
    {"ior", "__ior__", kMethod},
    {"xor", "__xor__", kMethod},
    {"rxor", "bitwise_xor", kMethod},
    {"ixor", "__ixor__", kMethod},
    {"lshift", "__lshift__", kMethod},
    {"rlshift", "bitwise_left_shift", kSwapped},
    {"ilshift", "__ilshift__", kMethod},
    {"rshift", "__rshift__", kMethod},
    {"rrshift", "bitwise_right_shift", kSwapped},
    {"irshift", "__irshift__", kMethod},
};

}  // namespace

config::PythonName python_name(const dump::ApiName& name) {
  return config::python_name(name.type, name.name);
}

const Dunder* find_dunder(std::string_view name) {
  if (name.size() < 5 || !name.starts_with("__") || !name.ends_with("__")) return nullptr;
  const auto inner = name.substr(2, name.size() - 4);
  const auto* found =
      std::find_if(std::begin(kDunders), std::end(kDunders), [&](const Dunder& d) { return d.name == inner; });
  return found == std::end(kDunders) ? nullptr : found;
}

}  // namespace msprobe::signatures
