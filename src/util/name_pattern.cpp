#include "util/name_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <vector>

#include "util/error.h"
#include "util/one_line.h"
#include "util/utf8.h"

namespace msprobe::util {
namespace {

constexpr size_t kLongestName = 512;
constexpr size_t kLongestPattern = 1000;
constexpr uint64_t kMostRepeats = 100;         // of all counts {n} multiplied: each is a copy of what it stands behind
constexpr uint64_t kMostRepeatedBytes = 3000;  // length and counts multiplied

// libstdc++'s usual engine tries one way after another, in recursion: (a+)+b takes for ever on a long name. The other
// one follows all ways at once.
#ifdef __GLIBCXX__
constexpr auto kFlags = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kFlags = std::regex::ECMAScript;
#endif

std::string shown(const std::string& pattern) {
  return fit_width(one_line(pattern), 60);
}

Error refused(const std::string& pattern, const std::string& why, const std::string& remedy) {
  return Error("", fmt::format("\"{}\" {}", shown(pattern), why), remedy);
}

// Goes through an expression, whether it is a correct one or not.
class Survey {
 public:
  explicit Survey(const std::string& pattern) {
    bool in_class = false;
    for (size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      if (c == '\\') {
        ++i;
      } else if (in_class) {
        in_class = c != ']';
      } else if (c == '[') {
        in_class = true;
      } else if (c == '(') {
        open(pattern, i);
      } else if (c == ')') {
        close();
      } else if (c == '{') {
        count(pattern, i + 1);
      }
    }
  }
  uint64_t repeats() const { return repeats_; }
  bool nests_lookaheads() const { return nested_; }

 private:
  void open(const std::string& pattern, size_t i) {
    const bool looks_ahead = pattern.compare(i, 3, "(?=") == 0 || pattern.compare(i, 3, "(?!") == 0;
    nested_ |= looks_ahead && ahead_ > 0;
    ahead_ += looks_ahead;
    groups_.push_back(looks_ahead);
  }
  void close() {
    if (groups_.empty()) return;
    ahead_ -= groups_.back();
    groups_.pop_back();
  }
  // {3}, {3,} and {3,5}: the larger number.
  void count(const std::string& pattern, size_t i) {
    uint64_t most = 0, number = 0;
    for (; i < pattern.size() && pattern[i] != '}'; ++i) {
      if (pattern[i] == ',') number = 0;
      if (pattern[i] >= '0' && pattern[i] <= '9')
        number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(pattern[i] - '0'), kMostRepeats + 1);
      most = std::max(most, number);
    }
    repeats_ = std::min(repeats_ * std::max<uint64_t>(1, most), kMostRepeats + 1);
  }

  std::vector<bool> groups_;  // open ones: is it a lookahead?
  int ahead_ = 0;
  bool nested_ = false;
  uint64_t repeats_ = 1;
};

void check_size(const std::string& pattern) {
  if (pattern.size() > kLongestPattern)
    throw refused(pattern, fmt::format("has {} characters, at most {} can be taken", pattern.size(), kLongestPattern),
                  "a shorter part of a name finds it too");
  const Survey survey(pattern);
  if (survey.repeats() > kMostRepeats || survey.repeats() * pattern.size() > kMostRepeatedBytes)
    throw refused(pattern, "counts {n} to more than can be matched in good time", "use * or + in their place");
  if (survey.nests_lookaheads())
    throw refused(pattern, "has a lookahead inside a lookahead, which cannot be matched in good time",
                  "put one behind the other");
}

}  // namespace

struct NamePattern::Compiled {
  std::regex expression;
};

NamePattern::NamePattern(const std::string& pattern) {
  check_size(pattern);
  try {
    compiled_ = std::make_unique<const Compiled>(Compiled{std::regex(pattern, kFlags)});
  } catch (const std::regex_error& error) {
    using namespace std::regex_constants;
    if (error.code() == error_complexity || error.code() == error_space || error.code() == error_stack)
      throw refused(pattern, "cannot be matched in good time, as back-references (\\1) never can",
                    "write out what is to be found");
    throw refused(pattern, "is not a regular expression",
                  "put \\ before a character such as ( [ * + that stands for itself");
  }
}

NamePattern::~NamePattern() = default;
NamePattern::NamePattern(NamePattern&&) noexcept = default;
NamePattern& NamePattern::operator=(NamePattern&&) noexcept = default;

bool NamePattern::found_in(std::string_view name) const {
  using namespace std::regex_constants;
  const auto flags = name.size() > kLongestName ? match_not_eol : match_default;  // $ is not where a name was cut
  name = name.substr(0, kLongestName);
  return std::regex_search(name.begin(), name.end(), compiled_->expression, flags);
}

}  // namespace msprobe::util
