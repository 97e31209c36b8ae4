#include "report/file_lock.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "util/error.h"

namespace msprobe::report {

std::string lock_holder(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) == 0) {
    std::ifstream locks("/proc/locks");
    // 12: FLOCK  ADVISORY  WRITE 4711 fd:00:1311 0 EOF   (major:minor:inode; the device differs on overlays, so only
    // the inode is looked at)
    for (std::string line; std::getline(locks, line);) {
      std::istringstream words(line);
      std::string number, kind, mode, access, place;
      long pid = 0;
      words >> number >> kind >> mode >> access >> pid >> place;
      if (!words || kind != "FLOCK" || pid <= 0) continue;
      if (place.substr(place.rfind(':') + 1) != std::to_string(status.st_ino)) continue;
      std::string name;
      std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
      std::getline(comm, name);
      return "process " + std::to_string(pid) + (name.empty() ? "" : " (" + name + ")");
    }
  }
  return "another process";
}

void lock_file(int fd, const std::string& path, double patience, Lock kind) {
  constexpr double kStep = 0.01;
  for (double waited = 0;; waited += kStep) {
    if (::flock(fd, (kind == Lock::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return;
    if (errno == EINTR) continue;
    if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK) return;
    if (errno != EWOULDBLOCK) throw Error(path, std::string("cannot be locked: ") + std::strerror(errno));
    if (waited >= patience)
      throw Error(path, lock_holder(fd) + " is still writing it", "wait until it has ended, or end it");
    const timespec pause{0, static_cast<long>(kStep * 1e9)};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace msprobe::report
