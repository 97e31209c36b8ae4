#include "report/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "util/checksum.h"
#include "util/write_error.h"

namespace msprobe::report {
namespace {

std::string remedy(int error, const std::string& go_on) {
  const char* first = error == EFBIG            ? "allow larger files (ulimit -f)"
                      : util::wants_room(error) ? "free some space"
                                                : "look after the disk";
  return std::string(first) + ", then " + go_on;
}

}  // namespace

AppendFile::AppendFile(int fd, std::string path, uint64_t size, uint32_t crc)
    : fd_(fd), path_(std::move(path)), size_(size), crc_(crc) {}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      size_(other.size_),
      crc_(other.crc_),
      torn_(other.torn_) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    path_ = std::move(other.path_);
    size_ = other.size_;
    crc_ = other.crc_;
    torn_ = other.torn_;
  }
  return *this;
}

AppendFile::~AppendFile() {
  close();
}

void AppendFile::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool AppendFile::cut_to(uint64_t size) noexcept {
  struct stat found {};
  if (::fstat(fd_, &found) != 0 || static_cast<uint64_t>(found.st_size) < size) return false;
  int failed;
  do {
    failed = ::ftruncate(fd_, static_cast<off_t>(size));
  } while (failed != 0 && errno == EINTR);
  return failed == 0 && ::lseek(fd_, static_cast<off_t>(size), SEEK_SET) == static_cast<off_t>(size);
}

void AppendFile::append(std::string_view bytes, const std::string& go_on) {
  if (bytes.empty()) return;
  if (torn_) throw WriteError(path_, "a row that was written in part could not be taken back", remedy(EIO, go_on));
  check_size();
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      const int reason = n == 0 ? ENOSPC : errno;
      torn_ = !cut_to(size_);
      throw WriteError(path_,
                       std::string("cannot be written: ") + std::strerror(reason) + ", " +
                           std::to_string(bytes.size()) + " bytes more are needed",
                       remedy(reason, go_on));
    }
  }
  size_ += bytes.size();
  crc_ = util::crc32_of(bytes, crc_);
}

void AppendFile::cut(uint64_t size, uint32_t crc) {
  check_size();
  if (!cut_to(size)) {
    const int reason = errno;
    torn_ = true;
    throw WriteError(path_, std::string("cannot be cut to its last whole row: ") + std::strerror(reason));
  }
  size_ = size;
  crc_ = crc;
}

void AppendFile::sync(const std::string& go_on) {
  int failed;
  do {
    failed = ::fdatasync(fd_);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0 && errno != EINVAL && errno != ENOSYS)
    throw WriteError(path_, std::string("cannot be put on the disk: ") + std::strerror(errno), remedy(errno, go_on));
}

void AppendFile::check_size() const {
  struct stat found {};
  if (::fstat(fd_, &found) == 0) check_size_of(found);  // a server that does not answer: writing will tell
}

void AppendFile::check_size_of(const struct stat& found) const {
  const auto size = static_cast<uint64_t>(found.st_size);
  if (size == size_) return;
  throw WriteError(path_,
                   "holds " + std::to_string(size) + " bytes, this run wrote " + std::to_string(size_) +
                       ": something else " + (size < size_ ? "cut it short" : "changed it") + " meanwhile",
                   size < size_ ? "go on with -csv_path, which makes the rows again that are gone, and leave the files "
                                  "alone until the run ends"
                                : "start again, and leave the files alone until the run ends");
}

void AppendFile::check_in_place() const {
  struct stat mine {
  }, named{};
  if (::fstat(fd_, &mine) != 0) return;
  const bool there = ::lstat(path_.c_str(), &named) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR) return;  // a server that does not answer: writing will tell
  const char* found = mine.st_nlink == 0                                           ? "was deleted or replaced"
                      : !there                                                     ? "was moved"
                      : mine.st_dev != named.st_dev || mine.st_ino != named.st_ino ? "was replaced"
                                                                                   : nullptr;
  if (found != nullptr)
    throw WriteError(path_, std::string(found) + " while this run wrote it",
                     mine.st_nlink == 0
                         ? "its rows are lost: start again, and leave the files alone until the run ends"
                         : "put it back, then go on with -csv_path, and leave it alone until the run ends");
  check_size_of(mine);
}

}  // namespace msprobe::report
