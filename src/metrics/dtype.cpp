#include "metrics/dtype.h"

#include <array>
#include <cmath>
#include <limits>

#include "util/float_limits.h"

namespace msprobe::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// m explicit bits, exponent of the smallest normal number, largest finite number, first size beyond it (half a unit
// above the largest; a tie goes to the even neighbour, which is the one beyond except for float8_e4m3fn), infinity or
// nan beyond.
constexpr FloatFormat kHalf{10, -14, util::kLargestFloat16, 65520.0, true};
constexpr FloatFormat kBfloat16{7, -126, util::kLargestBfloat16, 0x1.FFp127, true};
constexpr FloatFormat kSingle{23, -126, util::kLargestFloat32, 0x1.FFFFFFp127, true};
constexpr FloatFormat kDouble{52, -1022, std::numeric_limits<double>::max(), kInfinity, true};
constexpr FloatFormat kE4m3fn{3, -6, util::kLargestFloat8E4m3fn, 0x1.D000000000001p8, false};
constexpr FloatFormat kE4m3fnuz{3, -7, util::kLargestFloat8E4m3fnuz, 248.0, false};
constexpr FloatFormat kE5m2{2, -14, util::kLargestFloat8E5m2, 61440.0, true};
constexpr FloatFormat kE5m2fnuz{2, -15, util::kLargestFloat8E5m2, 61440.0, false};
constexpr FloatFormat kE8m0fnu{0, -127, util::kLargestFloat8E8m0fnu, 0x1.8p127, false};

using ByteValues = std::array<float, 256>;

/// `bias` of the exponent. fnuz: one zero, and the pattern of -0 is nan.
ByteValues decode(const FloatFormat& format, int bias, bool fnuz) {
  ByteValues values;
  const int m = format.mantissa;
  for (int byte = 0; byte < 256; ++byte) {
    const int exponent = (byte & 0x7F) >> m, mantissa = byte & ((1 << m) - 1);
    const double size =
        exponent == 0 ? std::ldexp(mantissa, 1 - bias - m) : std::ldexp((1 << m) + mantissa, exponent - bias - m);
    double value = byte & 0x80 ? -size : size;
    if (fnuz) {
      if (byte == 0x80) value = std::nan("");
    } else if (size > format.max_finite) {
      value = format.has_infinity && mantissa == 0 ? std::copysign(kInfinity, value) : std::nan("");
    }
    values[byte] = static_cast<float>(value);
  }
  return values;
}

/// A power of two in each byte, no sign, no zero.
ByteValues decode_e8m0() {
  ByteValues values;
  for (int byte = 0; byte < 255; ++byte) values[byte] = std::ldexp(1.0f, byte - 127);
  values[255] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

struct Entry {
  std::string_view aten;  ///< c10::toString: names are there in every version of LibTorch, enumerators are not
  Dtype dtype;
};

const auto& entries() {
  static const ByteValues e4m3fn = decode(kE4m3fn, 7, false), e5m2 = decode(kE5m2, 15, false),
                          e4m3fnuz = decode(kE4m3fnuz, 8, true), e5m2fnuz = decode(kE5m2fnuz, 16, true),
                          e8m0fnu = decode_e8m0();
  using enum Kind;
  static const std::array<Entry, 21> table = {{
      {"Double", {"float64", kFloat, Storage::kDouble, 8, kDouble}},
      {"Float", {"float32", kFloat, Storage::kSingle, 4, kSingle}},
      {"Half", {"float16", kFloat, Storage::kHalf, 2, kHalf}},
      {"BFloat16", {"bfloat16", kFloat, Storage::kBfloat16, 2, kBfloat16}},
      {"Float8_e4m3fn", {"float8_e4m3fn", kFloat, Storage::kByteFloat, 1, kE4m3fn, e4m3fn.data()}},
      {"Float8_e5m2", {"float8_e5m2", kFloat, Storage::kByteFloat, 1, kE5m2, e5m2.data()}},
      {"Float8_e4m3fnuz", {"float8_e4m3fnuz", kFloat, Storage::kByteFloat, 1, kE4m3fnuz, e4m3fnuz.data()}},
      {"Float8_e5m2fnuz", {"float8_e5m2fnuz", kFloat, Storage::kByteFloat, 1, kE5m2fnuz, e5m2fnuz.data()}},
      {"Float8_e8m0fnu", {"float8_e8m0fnu", kFloat, Storage::kByteFloat, 1, kE8m0fnu, e8m0fnu.data()}},
      {"ComplexDouble", {"complex128", kComplex, Storage::kDouble, 16, kDouble}},
      {"ComplexFloat", {"complex64", kComplex, Storage::kSingle, 8, kSingle}},
      {"ComplexHalf", {"complex32", kComplex, Storage::kHalf, 4, kHalf}},
      {"Char", {"int8", kInteger, Storage::kSigned, 1, {}}},
      {"Short", {"int16", kInteger, Storage::kSigned, 2, {}}},
      {"Int", {"int32", kInteger, Storage::kSigned, 4, {}}},
      {"Long", {"int64", kInteger, Storage::kSigned, 8, {}}},
      {"Byte", {"uint8", kInteger, Storage::kUnsigned, 1, {}}},
      {"UInt16", {"uint16", kInteger, Storage::kUnsigned, 2, {}}},
      {"UInt32", {"uint32", kInteger, Storage::kUnsigned, 4, {}}},
      {"UInt64", {"uint64", kInteger, Storage::kUnsigned, 8, {}}},
      {"Bool", {"bool", kBool, Storage::kBool, 1, {}}},
  }};
  return table;
}

constexpr int kTypes = static_cast<int>(at::ScalarType::NumOptions) + 1;

std::array<Dtype, kTypes> all_types() {
  std::array<Dtype, kTypes> types;
  for (int i = 0; i < kTypes; ++i) {
    const char* name = c10::toString(static_cast<at::ScalarType>(i));
    types[i].name = name;
    for (const Entry& entry : entries()) {
      if (entry.aten == name) types[i] = entry.dtype;
    }
  }
  return types;
}

}  // namespace

const Dtype& dtype_of(at::ScalarType type) {
  static const std::array<Dtype, kTypes> types = all_types();
  const int index = static_cast<int>(type);
  return types[index >= 0 && index < kTypes ? index : kTypes - 1];
}

}  // namespace msprobe::metrics
