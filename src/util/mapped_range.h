// The bytes of a file in memory, safe against a file that shrinks meanwhile.
//
// Pages that a file has lost are SIGBUS to whoever touches them, and any of LibTorch's threads may. A handler puts
// zeros in their place, so that whatever reads on comes to an end, and notes which file it was: what was made of its
// bytes is worth nothing, and whoever is responsible asks take_lost_file() before using it. A SIGBUS anywhere else has
// the effect that it had before.
#pragma once
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "util/changed_error.h"

namespace msprobe::util {

class MappedRange {
 public:
  /// kPrivateWrite: pages may be written to; they are copied when that happens and never reach the file.
  enum class Access { kRead, kPrivateWrite };

  /// Maps the first `size` (> 0) bytes of `fd`, which may be closed afterwards. `name` is the file in messages. Throws
  /// Error.
  MappedRange(int fd, size_t size, Access access, std::string name);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_; }
  /// Pages of it were gone when they were read.
  bool lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  friend bool replace_lost_pages(const void* address);

  char* data_ = nullptr;
  const size_t size_;
  const int protection_;
  const std::string name_;
  std::atomic<bool> lost_{false};
  MappedRange *next_ = nullptr, *previous_ = nullptr;  ///< all that live, for the handler
};

/// For files of which it turns out late that they were changed. The first one noted stays until it is taken.
void note_changed_file(const std::string& name);
/// What to say of the file noted first since the last call, by the handler or by note_changed_file(); nothing: no
/// file was changed.
std::optional<ChangedError> take_lost_file();
/// "was cut short while it was being read, or its disk failed": of a range that is lost().
ChangedError lost_error(const std::string& name);

}  // namespace msprobe::util
