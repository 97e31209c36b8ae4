// Files mapped into memory, and files opened so that nothing outside a folder can be reached.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace msprobe::dump {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Opens a regular file for reading. Symlinks are followed: the path comes from the user. Never blocks on a FIFO.
/// Throws Error naming `path`: missing, unreadable, a folder, a FIFO, a device.
Descriptor open_regular(const std::string& path);

/// Opens the regular file `dir`/`name` for reading, where `name` comes from an untrusted dump. It may hold slashes, but
/// no part of it may be "..", "." or a symlink. Throws Error naming the file: also missing, folder, FIFO, device, empty
/// or overlong name, NUL, not UTF-8.
Descriptor open_beneath(const std::string& dir, const std::string& name);

/// A file in memory. kRead: for looking only. kPrivateWrite: pages may be written to; they are copied when that happens
/// and never reach the file. The address stays the same for the life of the object.
class MappedFile {
 public:
  enum class Access { kRead, kPrivateWrite };

  /// Maps the whole file. `where` names it in errors.
  MappedFile(Descriptor file, std::string where, Access access);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view text() const { return {data_, size_}; }
  char* data() const { return data_; }
  size_t size() const { return size_; }
  const std::string& where() const { return where_; }

  /// Throws Error when the file has another size or time than when it was mapped: its bytes can no longer be trusted,
  /// and pages beyond a new end would be SIGBUS.
  void check_unchanged() const;
  /// Gives the pages wholly inside [begin, end) back to the system (they stay in its file cache), so that walking
  /// through a file of many GB does not count as memory in use. Only for kRead.
  void release(size_t begin, size_t end) const;

 private:
  Descriptor file_;
  std::string where_;
  char* data_ = nullptr;
  size_t size_ = 0;
  long long seconds_ = 0, nanoseconds_ = 0;  ///< time of the last change, as fstat told it
};

}  // namespace msprobe::dump
