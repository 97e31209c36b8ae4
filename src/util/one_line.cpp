#include "util/one_line.h"

#include <cstdio>

#include "util/utf8.h"

namespace msprobe::util {

std::string one_line(std::string_view text) {
  std::string line;
  const std::string whole = repair_utf8(text);
  for (size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0xC2 && static_cast<unsigned char>(whole[i + 1]) < 0xA0) {  // U+0080 to U+009F: controls too
      char escaped[7];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(whole[++i]));
      line += escaped;
    } else if (byte >= 0x20 && byte != 0x7F) {
      line += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      line += escaped;
    }
  }
  return line;
}

}  // namespace msprobe::util
