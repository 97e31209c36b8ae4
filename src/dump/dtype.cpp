#include "dump/dtype.h"

#include <array>

namespace msprobe::dump {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  int64_t size;
};

/// In the order of the enumeration.
constexpr std::array kRows = {
    Row{Dtype::kBool, "bool", 1},
    Row{Dtype::kUint8, "uint8", 1},
    Row{Dtype::kInt8, "int8", 1},
    Row{Dtype::kUint16, "uint16", 2},
    Row{Dtype::kInt16, "int16", 2},
    Row{Dtype::kUint32, "uint32", 4},
    Row{Dtype::kInt32, "int32", 4},
    Row{Dtype::kUint64, "uint64", 8},
    Row{Dtype::kInt64, "int64", 8},
    Row{Dtype::kFloat16, "float16", 2},
    Row{Dtype::kBfloat16, "bfloat16", 2},
    Row{Dtype::kFloat32, "float32", 4},
    Row{Dtype::kFloat64, "float64", 8},
    Row{Dtype::kComplex32, "complex32", 4},
    Row{Dtype::kComplex64, "complex64", 8},
    Row{Dtype::kComplex128, "complex128", 16},
    Row{Dtype::kFloat8E4m3fn, "float8_e4m3fn", 1},
    Row{Dtype::kFloat8E4m3fnuz, "float8_e4m3fnuz", 1},
    Row{Dtype::kFloat8E5m2, "float8_e5m2", 1},
    Row{Dtype::kFloat8E5m2fnuz, "float8_e5m2fnuz", 1},
    Row{Dtype::kFloat8E8m0fnu, "float8_e8m0fnu", 1},
};

struct SecondName {
  std::string_view name;
  Dtype dtype;
};

constexpr std::array kSecondNames = {
    SecondName{"half", Dtype::kFloat16},       SecondName{"float", Dtype::kFloat32},
    SecondName{"double", Dtype::kFloat64},     SecondName{"short", Dtype::kInt16},
    SecondName{"int", Dtype::kInt32},          SecondName{"long", Dtype::kInt64},
    SecondName{"chalf", Dtype::kComplex32},    SecondName{"cfloat", Dtype::kComplex64},
    SecondName{"cdouble", Dtype::kComplex128},
};

const Row& row_of(Dtype dtype) {
  return kRows.at(static_cast<size_t>(dtype));
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return row_of(dtype).name;
}

int64_t dtype_size(Dtype dtype) {
  return row_of(dtype).size;
}

std::optional<Dtype> parse_dtype(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  for (const SecondName& second : kSecondNames) {
    if (second.name == name) return second.dtype;
  }
  return std::nullopt;
}

}  // namespace msprobe::dump
