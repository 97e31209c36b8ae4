// config/places.yaml: files that are not the user's own.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace msprobe::places {

class Outside {
 public:
  explicit Outside(std::set<std::string, std::less<>> folders) : folders_(std::move(folders)) {}
  /// Throws Error: unreadable, or not a map with the one key "outside" and a list of names.
  static Outside read(const std::string& path);

  /// Whether one of its folders stands in `file`'s path, whole.
  bool has(std::string_view file) const;

 private:
  std::set<std::string, std::less<>> folders_;
};

}  // namespace msprobe::places
