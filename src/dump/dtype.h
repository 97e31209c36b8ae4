// Element types as dumps and torch.save files name them. Free of LibTorch, so that the readers are.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace msprobe::dump {

enum class Dtype : uint8_t {
  kBool,
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2,
  kFloat8E5m2fnuz,
  kFloat8E8m0fnu,
};

/// "float16" for kFloat16: torch's name without "torch.".
std::string_view dtype_name(Dtype dtype);
/// Bytes an element takes.
int64_t dtype_size(Dtype dtype);
/// Takes "torch.float16" and "float16", also torch's second names ("half", "long", ...); nullopt for anything else.
std::optional<Dtype> parse_dtype(std::string_view name);

}  // namespace msprobe::dump
