// "1 API", "2 APIs".
#pragma once
#include <string>
#include <string_view>

namespace msprobe::util {

/// `noun` takes an s in the plural.
template <class Number>
std::string count_of(Number n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace msprobe::util
