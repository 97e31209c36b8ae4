#include "util/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace msprobe::util {

void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is given, which is this one. A system without /dev/null has a root folder.
    if (::open("/dev/null", O_RDWR) < 0 && ::open("/", O_RDONLY | O_DIRECTORY) < 0) return;
  }
}

std::string stdout_failure() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return {};
  pollfd reader{STDOUT_FILENO, POLLOUT, 0};
  if (error == EPIPE || (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0)) return {};
  return flushed || error == 0 ? "what was printed could not all be written" : std::strerror(error);
}

}  // namespace msprobe::util
