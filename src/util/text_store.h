// Keeps short texts in large blocks, so that a million of them are no million allocations.
#pragma once
#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

namespace msprobe::util {

class TextStore {
 public:
  /// A copy that stays where it is as long as the store lives, also when that is moved.
  std::string_view keep(std::string_view text) {
    constexpr size_t kBlock = 1 << 20;
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
      blocks_.emplace_back();
      blocks_.back().reserve(std::max(kBlock, text.size()));
    }
    std::string& block = blocks_.back();
    block.append(text);
    return std::string_view(block).substr(block.size() - text.size());
  }

 private:
  std::deque<std::string> blocks_;
};

}  // namespace msprobe::util
