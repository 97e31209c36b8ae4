#include "util/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace msprobe::util {
namespace {

struct Range {
  uint32_t first, last;
};

// Unicode 15, East_Asian_Width W and F, neighbouring blocks joined.
constexpr std::array kWide = std::to_array<Range>({
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C},
    {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
    {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
});

// Combining marks that occur in practice, zero-width characters, variation selectors.
constexpr std::array kNoWidth = std::to_array<Range>({
    {0x0300, 0x036F},
    {0x0483, 0x0489},
    {0x0591, 0x05BD},
    {0x064B, 0x065F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},
    {0x202A, 0x202E},
    {0x2060, 0x2064},
    {0x20D0, 0x20FF},
    {0x302A, 0x302D},
    {0x3099, 0x309A},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF},
    {0xE0100, 0xE01EF},
});

template <size_t N>
bool within(const std::array<Range, N>& table, uint32_t code) {
  const auto it = std::upper_bound(table.begin(), table.end(), code,
                                   [](uint32_t c, const Range& range) { return c < range.first; });
  return it != table.begin() && code <= std::prev(it)->last;
}

struct Decoded {
  uint32_t code;
  size_t bytes;  ///< 1 for a byte that is not UTF-8
  bool valid;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {lead, 1, false};
  uint32_t code = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {lead, 1, false};
  return {code, length, true};
}

size_t width_of(const Decoded& c) {
  if (!c.valid) return 1;
  if (c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0)) return 0;
  if (c.code < 0x300) return 1;
  if (within(kNoWidth, c.code)) return 0;
  return within(kWide, c.code) ? 2 : 1;
}

constexpr std::string_view kEllipsis = "…";

/// Bytes of the longest start of `text` that takes at most `width` columns.
size_t bytes_that_fit(std::string_view text, size_t width) {
  size_t used = 0, at = 0;
  while (at < text.size()) {
    const Decoded c = decode(text.substr(at));
    if (used + width_of(c) > width) break;
    used += width_of(c);
    at += c.bytes;
  }
  return at;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Decoded c = decode(text.substr(at));
    if (!c.valid) return false;
    at += c.bytes;
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Decoded c = decode(text.substr(at));
    out += c.valid ? text.substr(at, c.bytes) : std::string_view("\xEF\xBF\xBD");
    at += c.bytes;
  }
  return out;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = decode(text.substr(at));
    width += width_of(c);
    at += c.bytes;
  }
  return width;
}

std::string fit_width(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, bytes_that_fit(text, width - 1))) + std::string(kEllipsis);
}

std::string fit_width_middle(std::string_view text, size_t width) {
  const size_t whole = display_width(text);
  if (whole <= width) return std::string(text);
  if (width < 3) return fit_width(text, width);
  const size_t head = (width - 1) / 2, tail = width - 1 - head;
  // The tail starts behind the first whole - tail columns; a wide character on that border goes.
  size_t start = bytes_that_fit(text, whole - tail);
  if (display_width(text.substr(start)) > tail) start += decode(text.substr(start)).bytes;
  return std::string(text.substr(0, bytes_that_fit(text, head))) + std::string(kEllipsis) +
         std::string(text.substr(start));
}

}  // namespace msprobe::util
