// A regular expression (ECMAScript) that is looked for in names. Matching takes time in proportion to expression and
// name whatever the expression is, and neither can overflow the stack.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace msprobe::util {

class NamePattern {
 public:
  /// Throws Error (without a place): not a regular expression, or one that could not be matched in good time: longer
  /// than 1000 characters, back-references, lookaheads inside each other, counts that multiply to too much.
  explicit NamePattern(const std::string& pattern);
  ~NamePattern();
  NamePattern(NamePattern&&) noexcept;
  NamePattern& operator=(NamePattern&&) noexcept;

  /// A match anywhere in the first 512 bytes of `name`: names longer than that come from a broken dump.
  bool found_in(std::string_view name) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace msprobe::util
