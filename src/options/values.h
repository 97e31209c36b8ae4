// Values of options: text to numbers, with messages that say what was expected.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace msprobe::options {

/// A whole number within [low, high]. Throws Error: `"8x" is not a whole number from 1 to 64`.
int64_t whole_number(std::string_view text, int64_t low, int64_t high);
/// A whole number from 0 to 2^64 - 1 (seeds).
uint64_t seed_number(std::string_view text);
/// Seconds, 0 or more, fractions allowed.
double seconds(std::string_view text);
/// One of `choices`; the message names them and the nearest.
std::string one_of(std::string_view text, const std::vector<std::string>& choices);
/// "0", "0,1,2" and several of them: device ids, all different.
std::vector<int> device_ids(const std::vector<std::string>& values);
/// "i/n" with 0 <= i < n <= 65536.
std::pair<int, int> shard(std::string_view text);
/// A regular expression that util::NamePattern takes; returned unchanged.
std::string regular_expression(std::string_view text);

/// `text` as one word of a POSIX shell.
std::string shell_quoted(const std::string& text);

}  // namespace msprobe::options
