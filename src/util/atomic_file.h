// A file that is there whole or not at all: written under a temporary name beside it, renamed when complete.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace msprobe::util {

class AtomicFile {
 public:
  /// Makes `.<name>.<pid>.<n>.tmp` in the folder of `path`. `expected_bytes` (0: unknown) is named when the disk is
  /// full. Every member throws Error (path, reason, remedy) on failure, and when somebody else has changed the
  /// temporary file's length.
  explicit AtomicFile(std::string path, mode_t mode = 0640, uint64_t expected_bytes = 0);
  /// Removes the temporary file unless commit() succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Puts the file in place of whatever has its name. `durable`: it survives a power cut from then on.
  void commit(bool durable = false);
  uint64_t written() const { return written_; }

 private:
  [[noreturn]] void fail(const std::string& doing, int error);
  void check_size() const;
  std::string path_, temporary_;
  int fd_ = -1;
  uint64_t expected_, written_ = 0;
};

/// Removes what AtomicFile left in `folder` in processes that were killed while writing: no file of these may be being
/// written there now. What cannot be removed stays; a folder that is absent is none.
void remove_unfinished(const std::string& folder);

/// The whole of a regular file. Throws Error: missing, a folder, FIFO or device, unreadable, longer than `limit`.
std::string read_file(const std::string& path, uint64_t limit);

/// "1.5 GB", "12.0 MB", "640 bytes".
std::string size_text(uint64_t bytes);

}  // namespace msprobe::util
