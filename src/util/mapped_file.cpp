#include "util/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "util/error.h"
#include "util/text.h"
#include "util/utf8.h"

namespace msprobe::util {
namespace {

constexpr size_t kMaxNameBytes = 4095;  // PATH_MAX without its NUL
constexpr size_t kMaxPartBytes = 255;   // NAME_MAX
// O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOCTTY: a terminal must not become ours.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::string system_text(int error) {
  return std::generic_category().message(error);
}

std::string kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "no regular file";
  }
}

void require_regular(const struct stat& status, const std::string& where) {
  if (!S_ISREG(status.st_mode)) throw Error(where, "is " + kind_of(status.st_mode) + ", expected a regular file");
}

void check_part(std::string_view part, const std::string& where) {
  if (part.empty() || part == "." || part == "..") {
    throw Error(where, "the recorded name leads out of the folder of tensor files or is not a plain file name");
  }
  if (part.size() > kMaxPartBytes) {
    throw Error(where, "the recorded name is " + std::to_string(part.size()) + " bytes long, a file name has at most " +
                           std::to_string(kMaxPartBytes));
  }
}

void check_name(std::string_view name, const std::string& where) {
  if (name.size() > kMaxNameBytes) {
    throw Error(where, "the recorded name is " + std::to_string(name.size()) + " bytes long, a path has at most " +
                           std::to_string(kMaxNameBytes));
  }
  if (name.find('\0') != std::string_view::npos) throw Error(where, "the recorded name holds a NUL character");
  if (!util::is_utf8(name)) throw Error(where, "the recorded name is not UTF-8");
  if (name.starts_with('/')) {
    throw Error(where, "the recorded name is an absolute path, expected a file in the folder of tensor files");
  }
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    check_part(name.substr(begin, end - begin), where);
    begin = end + 1;
  }
}

[[noreturn]] void throw_open_error(const std::string& where, int error) {
  if (error == ENOENT) throw Error(where, "no such file", "copy the whole dump folder, dump_tensor_data/ included");
  if (error == ELOOP) throw Error(where, "is a symbolic link, which is not followed");
  if (error == ENOTDIR)
    throw Error(where, "lies in a symbolic link, which is not followed, or in something that is no folder");
  throw Error(where, "cannot be opened: " + system_text(error));
}

bool same_content(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

Descriptor open_regular(const std::string& path) {
  const std::string where = shown(path);
  if (path.empty()) throw Error("", "the path of the file is empty");
  if (path.find('\0') != std::string::npos) throw Error(where, "the path holds a NUL character");
  struct stat status;
  // Looked at before it is opened: opening a device can itself have effects.
  if (::stat(path.c_str(), &status) != 0) throw Error(where, "cannot be opened: " + system_text(errno));
  require_regular(status, where);
  Descriptor file(::open(path.c_str(), kOpenFlags));
  if (!file.valid()) throw Error(where, "cannot be opened: " + system_text(errno));
  if (::fstat(file.get(), &status) != 0) throw Error(where, "cannot be examined: " + system_text(errno));
  require_regular(status, where);
  return file;
}

Descriptor open_beneath(const std::string& dir, const std::string& name) {
  const std::string where = dir + "/" + shown(name);
  check_name(name, where);
  Descriptor folder(::open(dir.c_str(), kOpenFlags | O_DIRECTORY));
  if (!folder.valid()) {
    throw Error(where, "its folder cannot be opened: " + system_text(errno),
                "dump_tensor_data/ must lie beside dump.json");
  }
  size_t begin = 0;
  for (size_t slash; (slash = name.find('/', begin)) != std::string::npos; begin = slash + 1) {
    const std::string part = name.substr(begin, slash - begin);
    Descriptor next(::openat(folder.get(), part.c_str(), kOpenFlags | O_DIRECTORY | O_NOFOLLOW));
    if (!next.valid()) throw_open_error(where, errno);
    folder = std::move(next);
  }
  const std::string file_name = name.substr(begin);
  struct stat status;
  if (::fstatat(folder.get(), file_name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) throw_open_error(where, errno);
  require_regular(status, where);
  Descriptor file(::openat(folder.get(), file_name.c_str(), kOpenFlags | O_NOFOLLOW));
  if (!file.valid()) throw_open_error(where, errno);
  // Once more on what was really opened: the name may have changed hands in between.
  if (::fstat(file.get(), &status) != 0) throw Error(where, "cannot be examined: " + system_text(errno));
  require_regular(status, where);
  return file;
}

MappedFile::MappedFile(Descriptor file, std::string where, Access access, std::string path)
    : file_(std::move(file)), where_(std::move(where)), path_(std::move(path)) {
  if (::fstat(file_.get(), &status_) != 0) throw Error(where_, "cannot be examined: " + system_text(errno));
  if (status_.st_size == 0) throw Error(where_, "is empty");
  range_.emplace(file_.get(), static_cast<size_t>(status_.st_size), access, where_);
  // A tensor file needs no descriptor any more; thousands of tensors may be alive at once.
  if (access == Access::kPrivateWrite) file_ = Descriptor();
}

MappedFile::~MappedFile() {
  struct stat now;
  if (path_.empty() || ::stat(path_.c_str(), &now) != 0) return;
  // Under another inode lies another file; the bytes of this one are what they were.
  if (now.st_dev != status_.st_dev || now.st_ino != status_.st_ino || same_content(now, status_)) return;
  util::note_changed_file(where_);
}

void MappedFile::check_unchanged() const {
  struct stat now;
  if (file_.valid() && ::fstat(file_.get(), &now) == 0 && !same_content(now, status_)) throw ChangedError(where_);
  if (range_->lost()) throw util::lost_error(where_);
}

void MappedFile::release(size_t begin, size_t end) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end == size() ? (end + page - 1) / page * page : end / page * page;
  if (begin < end) ::madvise(data() + begin, end - begin, MADV_DONTNEED);
}

}  // namespace msprobe::util
