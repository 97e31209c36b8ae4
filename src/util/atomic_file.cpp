#include "util/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <regex>
#include <vector>

#include "util/write_error.h"

namespace msprobe::util {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A name that no other thread or process holds; long names are cut to leave room for the
/// rest.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  constexpr size_t kLongestKept = 200;  // of the 255 bytes that a file name may have
  const std::string name = path.substr(path.rfind('/') + 1);
  return fmt::format("{}/.{}.{}.{}.tmp", folder_of(path), name.substr(0, kLongestKept), getpid(), counter++);
}

std::string remedy_for(int error, uint64_t need) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return need ? "free at least " + size_text(need) + " there, or choose another folder"
                  : "free space there, or choose another folder";
    case EFBIG:
      return "allow larger files (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case EISDIR:
      return "remove the folder of that name, or choose another";
    case ENOENT:
    case ENOTDIR:
      return "make its folder first";
    case ENAMETOOLONG:
      return "choose a shorter path";
    default:
      return "";
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path, mode_t mode, uint64_t expected_bytes)
    : path_(std::move(path)), temporary_(temporary_name(path_)), expected_(expected_bytes) {
  // A name may be taken: by a process of this number that was killed, or by somebody who wants it to be.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd_ >= 0 || (errno != EINTR && errno != EEXIST)) break;
    if (errno == EEXIST) temporary_ = temporary_name(path_);
  }
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();  // not ours to remove
    fail("be made", error);
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void remove_unfinished(const std::string& folder) {
  static const std::regex unfinished("\\..+\\.[0-9]+\\.[0-9]+\\.tmp");
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (std::regex_match(entry->path().filename().string(), unfinished)) found.push_back(entry->path());
  for (const auto& path : found) unlink(path.c_str());
}

void AtomicFile::fail(const std::string& doing, int error) {
  throw WriteError(path_, fmt::format("cannot {}: {}", doing, std::strerror(error)), remedy_for(error, expected_));
}

// What follows would stand in the wrong place, behind NUL bytes where something is gone.
void AtomicFile::check_size() const {
  struct stat found {};
  if (fstat(fd_, &found) != 0 || static_cast<uint64_t>(found.st_size) == written_) return;
  throw WriteError(
      temporary_,
      fmt::format("holds {} bytes, {} were written: something else changed it meanwhile", found.st_size, written_),
      "start again, and leave the files alone until the program ends");
}

void AtomicFile::write(const void* data, size_t bytes) {
  check_size();
  constexpr size_t kMostAtOnce = size_t{1} << 30;  // Linux writes at most 2 GB a call
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(fd_, at, std::min(bytes, kMostAtOnce));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("be written", done < 0 ? errno : ENOSPC);
    at += done;
    bytes -= static_cast<size_t>(done);
    written_ += static_cast<uint64_t>(done);
  }
}

void AtomicFile::commit(bool durable) {
  check_size();
  if (durable && fsync(fd_) != 0) fail("be written", errno);
  const int closed = close(fd_);
  fd_ = -1;
  // After EINTR the descriptor is gone all the same (Linux), and nothing was lost.
  if (closed != 0 && errno != EINTR) fail("be written", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("be put in place", errno);
  temporary_.clear();
  if (!durable) return;
  const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail("be put in place durably", errno);
  const int synced = fsync(folder);
  const int error = errno;
  close(folder);
  if (synced != 0 && error != EINVAL) fail("be put in place durably", error);  // EINVAL: file system without it
}

std::string read_file(const std::string& path, uint64_t limit) {
  // O_NONBLOCK: opening a FIFO without a writer must not hang before fstat can refuse it.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw Error(path, fmt::format("cannot be opened: {}", std::strerror(errno)), "check the path");
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } closer{fd};
  struct stat info {};
  if (fstat(fd, &info) != 0) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(info.st_mode))
    throw Error(path, S_ISDIR(info.st_mode) ? "is a folder, expected a file" : "is not a regular file");
  if (static_cast<uint64_t>(info.st_size) > limit)
    throw Error(path, fmt::format("holds {}, at most {} are expected here", size_text(info.st_size), size_text(limit)),
                "check that this is the right file");
  std::string text;
  text.resize(static_cast<size_t>(info.st_size));
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = read(fd, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  text.resize(have);
  return text;
}

std::string size_text(uint64_t bytes) {
  constexpr double kStep = 1000;
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  while (value >= kStep && unit + 1 < std::size(kUnits)) value /= kStep, ++unit;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace msprobe::util
