// A validating walk over JSON text as Python writes it (NaN, Infinity, -Infinity), without building anything: the index
// finds the ends of records with it. Memory is one bit a level of nesting, whatever the length of strings; speed is
// what makes an index of several GB bearable.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::dump {

/// Thrown by JsonScanner; its catcher adds file, line and key.
struct JsonFault {
  size_t offset;        ///< byte of the text at which it shows
  std::string message;  ///< what was found and what was expected
  bool truncated;       ///< the text just ends: most likely the file was cut off
};

class JsonScanner {
 public:
  /// Starts at `begin`. `text` must outlive the scanner.
  explicit JsonScanner(std::string_view text, size_t begin = 0);

  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  bool at_end() const { return at_ == end_; }
  void skip_space();
  /// Skips space, then takes `c` if it stands there.
  bool take(char c);
  /// As take(); a fault when it is not there. `expected` names what the grammar allows here.
  void require(char c, const char* expected);

  /// Skips space and one string; its text between the quotes, escapes not resolved.
  std::string_view string(const char* expected);
  /// Skips space and one value of any kind, checking every byte of it.
  void skip_value();
  /// Deepest nesting of the last skip_value(): 0 for a scalar, 1 for a flat list.
  size_t depth() const { return deepest_; }

  [[noreturn]] void fail(const char* expected) const;

 private:
  void skip_string();
  void skip_escape();
  void skip_number();
  void skip_digits();
  void skip_word(std::string_view word);
  [[noreturn]] void fail_word(const char* expected) const;
  void skip_scalar();
  void open_level(bool object);
  bool close_level();  ///< returns whether the level around is an object

  const char *begin_, *at_, *end_;
  std::vector<uint64_t> objects_;  ///< one bit a level: object (1) or list (0)
  size_t level_ = 0, deepest_ = 0;
};

}  // namespace msprobe::dump
