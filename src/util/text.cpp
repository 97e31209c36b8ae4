#include "util/text.h"

#include <algorithm>
#include <cstdio>

#include "util/utf8.h"

namespace msprobe::util {
namespace {

/// Length of the UTF-8 character at the front of `text`; 0 when there is none.
size_t character_length(std::string_view text) {
  for (size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (util::is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

std::string escaped(unsigned char byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default: {
      char text[5];
      std::snprintf(text, sizeof text, "\\x%02x", byte);
      return text;
    }
  }
}

}  // namespace

std::string quoted(std::string_view text, size_t limit) {
  std::string result = "\"";
  while (!text.empty()) {
    if (result.size() > limit) {
      result += "...";
      break;
    }
    const size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7F) {
      result += escaped(first);
      text.remove_prefix(1);
      continue;
    }
    if (first == '"' || first == '\\') result += '\\';
    result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result + '"';
}

std::string shown(std::string_view name) {
  constexpr size_t kLongestPlain = 255;
  const bool prints = std::none_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  return prints && name.size() <= kLongestPlain && util::is_utf8(name) ? std::string(name) : quoted(name);
}

std::string shortened(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string line_and_column(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(before.size() - line_begin + 1);
}

}  // namespace msprobe::util
