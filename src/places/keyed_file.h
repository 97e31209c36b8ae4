// A large JSON object in a mapped file (stack.json, construct.json), walked through once.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "util/mapped_file.h"

namespace msprobe::places {

class KeyedFile {
 public:
  /// Maps `path`. Throws Error: cannot be read.
  explicit KeyedFile(const std::string& path);

  /// Calls `entry` with each key and the text of its value, which is valid JSON; false: it is of another form. Throws
  /// Error: not JSON, no object, and where no entry at all has the form.
  void walk(const std::function<bool(std::string_view key, std::string_view value)>& entry);
  /// How many have another form; the first of them, quoted.
  size_t foreign() const { return foreign_; }
  const std::string& first_foreign() const { return first_foreign_; }

  /// The string between the quotes of JSON text, escapes resolved: of the file where it has none, else kept here.
  std::string_view unescaped(std::string_view raw);
  /// Throws ChangedError as util::MappedFile does.
  void check_unchanged() const { file_.check_unchanged(); }
  const std::string& shown_path() const { return shown_path_; }

 private:
  std::string shown_path_;
  util::MappedFile file_;
  std::deque<std::string> kept_;
  size_t entries_ = 0, foreign_ = 0;
  std::string first_foreign_;
};

}  // namespace msprobe::places
