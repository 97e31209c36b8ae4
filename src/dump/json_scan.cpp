#include "dump/json_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "util/text.h"

namespace msprobe::dump {
namespace {

constexpr size_t kWord = sizeof(uint64_t);
constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

uint64_t load_word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, kWord);
  return word;
}

/// Nonzero when some byte of `word` ends the plain part of a string: quote, backslash, control character. Exact up to
/// and including the first such byte.
uint64_t string_stops(uint64_t word) {
  const auto zero_bytes = [](uint64_t x) { return (x - kOnes) & ~x & kHighs; };
  const uint64_t controls = (word - kOnes * 0x20) & ~word & kHighs;
  return zero_bytes(word ^ kOnes * '"') | zero_bytes(word ^ kOnes * '\\') | controls;
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

JsonScanner::JsonScanner(std::string_view text, size_t begin)
    : begin_(text.data()), at_(text.data() + begin), end_(text.data() + text.size()) {}

void JsonScanner::fail(const char* expected) const {
  const bool truncated = at_ == end_;
  const std::string found = truncated ? "the text ends" : "found " + util::quoted(std::string_view(at_, 1));
  throw JsonFault{position(), found + ", expected " + expected, truncated};
}

void JsonScanner::fail_word(const char* expected) const {
  constexpr size_t kLongest = 20;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const size_t most = std::min(kLongest, static_cast<size_t>(end_ - at_));
  const std::string_view word(at_, static_cast<size_t>(std::find_if_not(at_, at_ + most, is_letter) - at_));
  if (word == "nan") expected = "NaN";
  throw JsonFault{position(), "found " + util::quoted(word) + ", expected " + expected, false};
}

void JsonScanner::skip_space() {
  if (at_ == end_ || !is_space(*at_)) return;
  ++at_;
  constexpr uint64_t kSpaces = kOnes * ' ';  // indentation
  while (static_cast<size_t>(end_ - at_) >= kWord && load_word(at_) == kSpaces) at_ += kWord;
  while (at_ != end_ && is_space(*at_)) ++at_;
}

bool JsonScanner::take(char c) {
  skip_space();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

void JsonScanner::require(char c, const char* expected) {
  if (!take(c)) fail(expected);
}

std::string_view JsonScanner::string(const char* expected) {
  skip_space();
  if (at_ == end_ || *at_ != '"') fail(expected);
  const char* first = at_ + 1;
  skip_string();
  return {first, static_cast<size_t>(at_ - 1 - first)};
}

void JsonScanner::skip_string() {
  ++at_;
  while (true) {
    while (static_cast<size_t>(end_ - at_) >= kWord) {
      const uint64_t stops = string_stops(load_word(at_));
      if (stops == 0) {
        at_ += kWord;
        continue;
      }
      if constexpr (std::endian::native == std::endian::little) at_ += std::countr_zero(stops) / 8;
      break;
    }
    if (at_ == end_) fail("the rest of a string");
    const char c = *at_;
    if (c == '"') {
      ++at_;
      return;
    }
    if (c == '\\') {
      skip_escape();
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fail("no control character in a string");
    } else {
      ++at_;
    }
  }
}

void JsonScanner::skip_escape() {
  constexpr std::string_view kSimple = "\"\\/bfnrt";
  ++at_;
  if (at_ == end_) fail("the rest of an escape sequence");
  if (*at_ == 'u') {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == end_ || !is_hex_digit(*at_)) fail("four hexadecimal digits after \\u");
    }
  } else if (kSimple.find(*at_) != std::string_view::npos) {
    ++at_;
  } else {
    fail("an escape sequence that JSON knows");
  }
}

void JsonScanner::skip_digits() {
  if (at_ == end_ || !is_digit(*at_)) fail("a digit");
  while (at_ != end_ && is_digit(*at_)) ++at_;
}

void JsonScanner::skip_number() {
  if (*at_ == '-') ++at_;
  if (at_ != end_ && *at_ == 'I') return skip_word("Infinity");
  if (at_ != end_ && *at_ == '0') {
    ++at_;  // nothing but a fraction or exponent may follow
  } else {
    skip_digits();
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    skip_digits();
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    skip_digits();
  }
}

void JsonScanner::skip_word(std::string_view word) {
  const char* start = at_;
  for (const char c : word) {
    if (at_ != end_ && *at_ == c) {
      ++at_;
      continue;
    }
    if (at_ == end_) fail(word.data());
    at_ = start;  // the whole word is wrong, not the letter that shows it
    fail_word(word.data());
  }
}

void JsonScanner::skip_scalar() {
  switch (*at_) {
    case '"':
      return skip_string();
    case 't':
      return skip_word("true");
    case 'f':
      return skip_word("false");
    case 'n':
      return skip_word("null");
    case 'N':
      return skip_word("NaN");
    case 'I':
      return skip_word("Infinity");
    default:
      if (*at_ != '-' && !is_digit(*at_)) fail("a value");
      return skip_number();
  }
}

void JsonScanner::open_level(bool object) {
  const size_t word = level_ / 64;
  if (word == objects_.size()) objects_.push_back(0);
  const uint64_t bit = uint64_t{1} << level_ % 64;
  objects_[word] = object ? objects_[word] | bit : objects_[word] & ~bit;
  deepest_ = std::max(deepest_, ++level_);
  ++at_;
}

bool JsonScanner::close_level() {
  ++at_;
  if (--level_ == 0) return false;
  return objects_[(level_ - 1) / 64] >> (level_ - 1) % 64 & 1;
}

void JsonScanner::skip_value() {
  level_ = deepest_ = 0;
  bool object = false;  // kind of the innermost level
  while (true) {
    // Here stands a value, or the key of one.
    if (object) {
      string("a key in double quotes");
      require(':', "\":\" after a key");
    }
    skip_space();
    if (at_ == end_) fail("a value");
    const char first = *at_;
    if (first == '{' || first == '[') {
      object = first == '{';
      open_level(object);
      skip_space();
      if (at_ == end_ || *at_ != (object ? '}' : ']')) continue;  // its first member
      object = close_level();
    } else {
      skip_scalar();
    }
    // Behind a value: levels end here, or the next value follows.
    while (true) {
      if (level_ == 0) return;
      skip_space();
      if (at_ == end_) fail(object ? "\",\" or \"}\"" : "\",\" or \"]\"");
      if (*at_ == ',') {
        ++at_;
        break;
      }
      if (*at_ != (object ? '}' : ']')) fail(object ? "\",\" or \"}\"" : "\",\" or \"]\"");
      object = close_level();
    }
  }
}

}  // namespace msprobe::dump
