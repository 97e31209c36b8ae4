#include "report/result_pair.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "report/csv_writer.h"
#include "report/file_lock.h"
#include "report/file_names.h"
#include "util/error.h"
#include "util/plain_file.h"
#include "util/utf8.h"
#include "util/write_error.h"

namespace msprobe::report {
namespace {

using util::Descriptor;

constexpr mode_t kMode = 0640;
constexpr double kLockPatience = 1;  // seconds; a killed run's workers die within milliseconds

std::string reason() {
  return std::strerror(errno);
}

Descriptor open_existing(const std::string& path, Purpose purpose) {
  const int access = purpose == Purpose::kRead ? O_RDONLY : O_RDWR;
  Descriptor file(::open(path.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT)
      throw Error(path, "no such file", "give the result file of the interrupted run, its details file beside it");
    if (errno == ELOOP) throw Error(path, "is a symbolic link, expected a file");
    throw Error(path, (purpose == Purpose::kRead ? "cannot be opened: " : "cannot be opened for writing: ") + reason());
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) throw Error(path, "is not a regular file");
  if (const std::string unfit = util::unfit_to_write(status); purpose == Purpose::kWrite && !unfit.empty())
    throw Error(path, unfit, "make a copy of it (cp -a), and put the copy in its place (mv)");
  return file;
}

}  // namespace

std::string attribute(int fd, const char* name) {
  char text[4096];
  const ssize_t n = ::fgetxattr(fd, name, text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

std::string header_bytes(const std::vector<std::string>& columns) {
  return std::string(util::kUtf8Mark) + csv_row(columns);
}

Mapping::Mapping(int fd, size_t size, std::string path) : fd_(fd), path_(std::move(path)) {
  if (size == 0) return;
  range_.emplace(fd, size, util::MappedRange::Access::kRead, path_);
  ::madvise(range_->data(), size, MADV_SEQUENTIAL);
}

void Mapping::check_unchanged() const {
  struct stat now {};
  if (::fstat(fd_, &now) == 0 && static_cast<uint64_t>(now.st_size) != text().size()) throw ChangedError(path_);
  if (range_ && range_->lost()) throw util::lost_error(path_);
}

Pair::Pair(const std::string& result_path, Purpose purpose) {
  const std::filesystem::path path(result_path);
  timestamp = timestamp_of(path.filename().string());
  if (timestamp.empty())
    throw Error(result_path, "is not named accuracy_checking_result_{14 digits}.csv",
                "give the result file of the interrupted run under the name that it had");
  paths[0] = result_path;
  paths[1] = joined(path.parent_path().string(), file_name("details", timestamp));
  for (const auto& name : paths) files.push_back(open_existing(name, purpose));
  const Lock lock = purpose == Purpose::kRead ? Lock::kShared : Lock::kExclusive;
  for (int k : {0, 1}) lock_file(files[k].get(), paths[k], kLockPatience, lock);
  for (int k : {0, 1}) {  // after locking: nobody writes any more
    struct stat status {};
    if (::fstat(files[k].get(), &status) != 0) throw Error(paths[k], "cannot be read: " + reason());
    sizes[k] = static_cast<uint64_t>(status.st_size);
  }
}

ResumePlan Pair::plan(const Mapping& result, const Mapping& details, int precision) const {
  try {
    return plan_resume(result.text(), paths[0], details.text(), paths[1],
                       parse_seal(attribute(files[0].get(), kSealAttribute)), precision);
  } catch (const Error&) {
    for (const Mapping* file : {&result, &details}) file->check_unchanged();
    throw;
  }
}

NewPair::NewPair(int folder, const std::string& directory, const std::string& timestamp) : folder_(folder) {
  for (const char* kind : {"details", "result"}) {  // a result file always has a details file beside it
    File& file = files_.emplace_back();
    file.name = file_name(kind, timestamp);
    file.path = joined(directory, file.name);
  }
}

NewPair::~NewPair() {
  if (kept_) return;
  for (const auto& file : files_)
    if (file.made) ::unlinkat(folder_, file.name.c_str(), 0);
}

bool NewPair::make() {
  for (auto& file : files_) {
    int fd;
    do {
      fd = ::openat(folder_, file.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == EEXIST) return false;
    if (fd < 0 && util::wants_room(errno))
      throw WriteError(file.path, "cannot be made: " + reason(), "free some space, or choose another folder with -o");
    if (fd < 0) throw Error(file.path, "cannot be made: " + reason(), "choose another folder with -o");
    file.made = true;
    file.fd = AppendFile(fd, file.path, 0, 0);
    // Whatever the umask; a file system without modes may refuse.
    if (::fchmod(fd, kMode) != 0 && errno != EPERM && errno != ENOTSUP)
      throw Error(file.path, "cannot be given mode 0640: " + reason());
    lock_file(fd, file.path, 0);
  }
  return true;
}

}  // namespace msprobe::report
