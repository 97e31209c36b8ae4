// FNV-1a, 64 bits: tells texts apart, and is no defence against a forger.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace msprobe::util {

/// Going on from `hash`.
constexpr uint64_t fnv1a64(std::string_view bytes, uint64_t hash = 0xCBF29CE484222325u) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

/// 16 digits.
inline std::string hexadecimal(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

}  // namespace msprobe::util
