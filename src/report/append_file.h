// A file that grows by whole pieces: what could not be written whole is taken back. System calls only.
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace msprobe::report {

class AppendFile {
 public:
  AppendFile() = default;
  /// Takes over `fd`; `size` bytes of the file are good.
  AppendFile(int fd, std::string path, uint64_t size, uint32_t crc);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  /// One write(2) (more only when the system takes it in parts). On failure the file is as before, and WriteError
  /// (path, reason and need, remedy) is thrown; also, before anything is written, when check_size() finds it changed.
  /// `go_on`: what to do once the cause is gone ("go on with -csv_path FILE").
  void append(std::string_view bytes, const std::string& go_on);
  /// Cuts the file to its first `size` bytes, whose CRC is `crc`. Throws WriteError, as append() does.
  void cut(uint64_t size, uint32_t crc);
  void sync(const std::string& go_on);
  /// Throws WriteError when the file is not as long as it was left: somebody else has written to it or cut it, and what
  /// is appended would stand in the wrong place, behind NUL bytes where something is gone. One system call. A change in
  /// the microsecond between this look and the write that follows cannot be seen before the next look.
  void check_size() const;
  /// As check_size(). Throws WriteError also when the file was deleted, replaced, moved: what is written then is lost
  /// or mixed, and nobody would notice.
  void check_in_place() const;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  uint32_t crc() const { return crc_; }
  void close() noexcept;

 private:
  void check_size_of(const struct stat& found) const;
  bool cut_to(uint64_t size) noexcept;  ///< never makes it longer: that would fill it with NUL bytes

  int fd_ = -1;
  std::string path_;
  uint64_t size_ = 0;
  uint32_t crc_ = 0;
  bool torn_ = false;  ///< a failed write could not be taken back: nothing may follow it
};

}  // namespace msprobe::report
