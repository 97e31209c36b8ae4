// Text of files that may hold anything, made fit for a message.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace msprobe::util {

/// `text` in double quotes on one line: quotes, backslashes, control characters and bytes that are not UTF-8 are
/// escaped; longer than `limit` bytes: cut, with "...".
std::string quoted(std::string_view text, size_t limit = 120);

/// A path or name as a message shows it: itself, or quoted() where it holds what does not print or is very long.
std::string shown(std::string_view name);

/// At most `limit` bytes of `text`, cut between characters, with "..." where something was cut off.
std::string shortened(std::string_view text, size_t limit);

/// "line 12, column 7" of a byte offset; both count from 1, columns in bytes.
std::string line_and_column(std::string_view text, size_t offset);

}  // namespace msprobe::util
