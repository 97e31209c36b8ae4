#include "compare/fixed.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "report/csv_writer.h"

namespace msprobe::compare {
namespace {

__extension__ using uint128 = unsigned __int128;

constexpr int kMostDigits = 14;  // 2^53 * 10^14 < 2^100
constexpr uint64_t kPowers[kMostDigits + 1] = {
    1,         10,         100,         1000,         10000,         100000,         1000000,        10000000,
    100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000};

/// value * 10^digits, rounded half to even; false where that does not fit into the arithmetic.
bool scale(double value, int digits, uint64_t& scaled) {
  constexpr int kMantissa = 52, kBias = 1023;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const int exponent = static_cast<int>(bits >> kMantissa);  // the sign is known to be +
  const uint64_t fraction = bits & ((uint64_t{1} << kMantissa) - 1);
  // value = mantissa / 2^shift
  const uint64_t mantissa = exponent == 0 ? fraction : fraction | (uint64_t{1} << kMantissa);
  const int shift = kMantissa + kBias - (exponent == 0 ? 1 : exponent);
  if (shift <= 0) return false;
  const uint128 product = static_cast<uint128>(mantissa) * kPowers[digits];
  if (shift >= 120) {  // less than half a unit: product < 2^100
    scaled = 0;
    return true;
  }
  const uint128 whole = product >> shift, rest = product & ((uint128{1} << shift) - 1),
                half = uint128{1} << (shift - 1);
  if (whole >= (uint128{1} << 63)) return false;
  scaled = static_cast<uint64_t>(whole) + (rest > half || (rest == half && (whole & 1)));
  return true;
}

}  // namespace

void append_fixed(std::string& text, double value, int precision) {
  uint64_t scaled = 0;
  const bool usual = value >= 0 && !std::signbit(value) && precision <= kMostDigits;
  if (!usual || !scale(value, precision, scaled)) {
    text += report::format_figure(value, precision);
    return;
  }
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, scaled / kPowers[precision]).ptr);
  if (precision == 0) return;
  text += '.';
  char* end = std::to_chars(digits, digits + sizeof digits, scaled % kPowers[precision]).ptr;
  text.append(static_cast<size_t>(precision - (end - digits)), '0').append(digits, end);
}

}  // namespace msprobe::compare
