// UTF-8: checking, repairing, and the columns that text takes on a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace msprobe::util {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

/// True for well-formed UTF-8 (no overlong forms, surrogates, or code points above U+10FFFF).
bool is_utf8(std::string_view text);
/// `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// Columns on a terminal: 2 for East Asian wide and full-width characters and emoji, 0 for combining marks and
/// controls, 1 for the rest; a byte that is not UTF-8 counts 1.
size_t display_width(std::string_view text);
/// The longest start of `text` that fits into `width` columns; when something is cut off, it ends in "…".
std::string fit_width(std::string_view text, size_t width);
/// As fit_width, but cuts the middle out: both ends of an API's name tell it apart.
std::string fit_width_middle(std::string_view text, size_t width);

}  // namespace msprobe::util
