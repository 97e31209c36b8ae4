#include "util/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "util/write_error.h"

namespace msprobe::util {
namespace {

constexpr mode_t kMode = 0640;  // as readable as the result files beside it

[[noreturn]] void refuse_log(const std::string& path, const std::string& why, const std::string& remedy) {
  throw WriteError(path, "the log file cannot be opened: " + why, remedy);
}

// Makes the file, or opens the one that is there: in two steps, since only O_EXCL makes no file behind a link. -1 and
// errno when neither is possible. O_NONBLOCK: a FIFO must not hang before fstat can refuse it.
int open_or_make(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr int kTries = 10;  // it may come and go meanwhile
  int fd = -1;
  for (int i = 0; i < kTries; ++i) {
    fd = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kMode);
    if (fd >= 0) {
      [[maybe_unused]] const int refused = ::fchmod(fd, kMode);  // whatever the umask; a file system without modes
      return fd;
    }
    if (errno != EEXIST && errno != EINTR) return fd;
    fd = ::open(path.c_str(), kFlags);
    if (fd >= 0 || (errno != ENOENT && errno != EINTR)) return fd;
  }
  return fd;
}

}  // namespace

std::string unfit_to_write(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (info.st_nlink > 1)
    return fmt::format("has {} names (hard links), under all of which it would change", info.st_nlink);
  return "";
}

int open_log(const std::string& path) {
  const int fd = open_or_make(path);
  if (fd < 0) {
    const int reason = errno;
    if (reason == ELOOP) refuse_log(path, "it is a symbolic link", "remove that link");
    if (reason == ENXIO) refuse_log(path, "it is not a regular file", "remove it");  // a FIFO that nobody reads
    refuse_log(path, std::strerror(reason), "choose another place for it");
  }
  struct stat info {};
  const std::string unfit = ::fstat(fd, &info) != 0 ? std::strerror(errno) : unfit_to_write(info);
  const int flags = ::fcntl(fd, F_GETFL);
  if (unfit.empty() && flags >= 0 && ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0) return fd;
  ::close(fd);
  refuse_log(path, unfit.empty() ? "its mode of access cannot be changed" : "it " + unfit, "remove it");
}

}  // namespace msprobe::util
