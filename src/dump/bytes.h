// Numbers out of bytes, whatever the machine's byte order and their alignment.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace msprobe::dump {

/// The little-endian integer at `at`; the caller has checked that it lies inside `bytes`.
template <class T>
T load_little(std::string_view bytes, size_t at) {
  std::make_unsigned_t<T> value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<std::make_unsigned_t<T>>(uint64_t{value} << 8 | static_cast<unsigned char>(bytes[at + i]));
  }
  return static_cast<T>(value);
}

}  // namespace msprobe::dump
