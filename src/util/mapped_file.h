// Files mapped into memory, and files opened so that nothing outside a folder can be reached.
#pragma once
#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "util/descriptor.h"
#include "util/mapped_range.h"

namespace msprobe::util {

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
  using Access = util::MappedRange::Access;

  /// Maps the whole file. `where` names it in errors. With kPrivateWrite the descriptor is closed, and `path`, where it
  /// is given, tells in the end whether the file was changed meanwhile (util::note_changed_file): a file that lost part
  /// of its last page reads as zeros there, and one that was written to shows what was written.
  MappedFile(Descriptor file, std::string where, Access access, std::string path = "");
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view text() const { return {data(), size()}; }
  char* data() const { return range_->data(); }
  size_t size() const { return range_->size(); }
  const std::string& where() const { return where_; }

  /// Throws ChangedError when the file has another size or time than when it was mapped, or when pages of it were gone:
  /// its bytes can no longer be trusted.
  void check_unchanged() const;
  /// Gives the pages wholly inside [begin, end) back to the system (they stay in its file cache), so that walking
  /// through a file of many GB does not count as memory in use. Only for kRead.
  void release(size_t begin, size_t end) const;

 private:
  Descriptor file_;
  std::string where_, path_;
  std::optional<util::MappedRange> range_;
  struct stat status_ {};  ///< as it was when it was mapped
};

}  // namespace msprobe::util
