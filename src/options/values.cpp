#include "options/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "util/edit_distance.h"
#include "util/error.h"
#include "util/name_pattern.h"

namespace msprobe::options {
namespace {

constexpr int64_t kMostShards = 65536;

template <class T>
bool whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int64_t whole_number(std::string_view text, int64_t low, int64_t high) {
  int64_t value = 0;
  if (whole(text, value) && low <= value && value <= high) return value;
  const auto range = high == std::numeric_limits<int64_t>::max() || high == std::numeric_limits<int>::max()
                         ? fmt::format("of {} or more", low)
                         : fmt::format("from {} to {}", low, high);
  throw Error("", fmt::format("\"{}\" is not a whole number {}", text, range));
}

uint64_t seed_number(std::string_view text) {
  uint64_t value = 0;
  if (whole(text, value)) return value;
  throw Error("", fmt::format("\"{}\" is not a whole number from 0 to 18446744073709551615", text));
}

double seconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value >= 0) return value;
  throw Error("", fmt::format("\"{}\" is not a number of seconds, 0 or more", text));
}

std::string one_of(std::string_view text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string(text);
  throw Error(
      "", fmt::format("\"{}\" is not one of {}{}", text, fmt::join(choices, ", "), util::did_you_mean(text, choices)));
}

std::vector<int> device_ids(const std::vector<std::string>& values) {
  std::vector<int> ids;
  std::set<int> seen;
  for (const std::string& value : values) {
    size_t begin = 0;
    while (begin <= value.size()) {
      const size_t comma = std::min(value.find(',', begin), value.size());
      const std::string part = value.substr(begin, comma - begin);
      const int id = static_cast<int>(whole_number(part, 0, std::numeric_limits<int>::max()));
      if (!seen.insert(id).second)
        throw Error("", fmt::format("device {} is named twice", id), "name each device once");
      ids.push_back(id);
      begin = comma + 1;
    }
  }
  return ids;
}

std::pair<int, int> shard(std::string_view text) {
  const size_t slash = text.find('/');
  int64_t part = 0, parts = 0;
  const bool numbers =
      slash != std::string_view::npos && whole(text.substr(0, slash), part) && whole(text.substr(slash + 1), parts);
  if (numbers && parts > kMostShards)
    throw Error("", fmt::format("\"{}\" is one of {} parts, at most {} are possible", text, parts, kMostShards));
  if (numbers && 0 <= part && part < parts) return {static_cast<int>(part), static_cast<int>(parts)};
  throw Error("", fmt::format("\"{}\" is not a part i/n with 0 <= i < n, such as 0/4", text));
}

std::string regular_expression(std::string_view text) {
  std::string pattern(text);
  util::NamePattern{pattern};
  return pattern;
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain = "_-./=:,+@%";
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace msprobe::options
