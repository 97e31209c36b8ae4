#include "dump/api_name.h"

#include <algorithm>

namespace msprobe::dump {

std::string_view ApiName::last() const {
  const std::string_view view = name;
  return view.substr(view.rfind('.') + 1);  // npos + 1 is 0: no dot, the whole name
}

bool ApiName::well_formed() const {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (type.empty() || index.empty() || !std::all_of(index.begin(), index.end(), is_digit)) return false;
  const std::string_view view = name;
  const size_t dot = view.find('.');
  if (dot == std::string_view::npos) return !view.empty();
  const std::string_view space = view.substr(0, dot), rest = view.substr(dot + 1);
  return !space.empty() && !rest.empty() && rest.find('.') == std::string_view::npos;
}

ApiName parse_api_name(std::string_view full) {
  ApiName result;
  result.full = full;
  const size_t first = full.find('.');
  result.type = full.substr(0, first);
  if (first == std::string_view::npos) return result;
  const size_t last = full.rfind('.');
  if (last == first) {
    result.name = full.substr(first + 1);
    return result;
  }
  result.name = full.substr(first + 1, last - first - 1);
  result.index = full.substr(last + 1);
  return result;
}

std::optional<Key> split_key(std::string_view key) {
  const size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view direction = key.substr(dot + 1);
  if (direction == "forward") return Key{key.substr(0, dot), Direction::kForward};
  if (direction == "backward") return Key{key.substr(0, dot), Direction::kBackward};
  return std::nullopt;
}

}  // namespace msprobe::dump
