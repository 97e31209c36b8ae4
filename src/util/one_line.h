// Text of files and command lines, made fit for a message.
#pragma once
#include <string>
#include <string_view>

namespace msprobe::util {

/// `text` on one line: control characters as `\n`, `\t`, `\x1b`; bytes that are not UTF-8 as U+FFFD.
std::string one_line(std::string_view text);

}  // namespace msprobe::util
