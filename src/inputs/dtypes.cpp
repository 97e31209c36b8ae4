#include <algorithm>
#include <array>
#include <cctype>

#include "inputs/value.h"

namespace msprobe::inputs {
namespace {

struct Alias {
  std::string_view from, to;
};

// c10 names the old types after C's, Python after their width. Every type not listed is c10's name in lower case
// ("Float8_e4m3fn", "UInt16", "QInt8"), so types of newer LibTorch releases need no line here.
constexpr std::array<Alias, 12> kPythonNames{{
    {"Byte", "uint8"},
    {"Char", "int8"},
    {"Short", "int16"},
    {"Int", "int32"},
    {"Long", "int64"},
    {"Half", "float16"},
    {"Float", "float32"},
    {"Double", "float64"},
    {"ComplexHalf", "complex32"},
    {"ComplexFloat", "complex64"},
    {"ComplexDouble", "complex128"},
    {"BFloat16", "bfloat16"},
}};

constexpr std::array<Alias, 9> kSecondNames{{
    {"half", "float16"},
    {"float", "float32"},
    {"double", "float64"},
    {"short", "int16"},
    {"int", "int32"},
    {"long", "int64"},
    {"chalf", "complex32"},
    {"cfloat", "complex64"},
    {"cdouble", "complex128"},
}};

std::string plain_name(at::ScalarType dtype) {
  const std::string_view c10_name = c10::toString(dtype);
  for (const auto& [from, to] : kPythonNames)
    if (from == c10_name) return std::string(to);
  std::string name(c10_name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

}  // namespace

std::string dtype_name(at::ScalarType dtype) {
  return "torch." + plain_name(dtype);
}

std::optional<at::ScalarType> parse_scalar_type(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
  for (const auto& [from, to] : kSecondNames)
    if (from == name) name = to;
  for (int i = 0; i < static_cast<int>(at::ScalarType::Undefined); ++i) {
    const auto dtype = static_cast<at::ScalarType>(i);
    if (plain_name(dtype) == name) return dtype;
  }
  return std::nullopt;
}

}  // namespace msprobe::inputs
