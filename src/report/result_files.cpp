#include "report/result_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "report/append_file.h"
#include "report/csv_writer.h"
#include "report/file_lock.h"
#include "report/resume_plan.h"
#include "util/error.h"
#include "util/mapped_range.h"
#include "util/plain_file.h"
#include "util/utf8.h"
#include "util/write_error.h"

namespace msprobe::report {
namespace {

using Clock = std::chrono::steady_clock;
constexpr mode_t kMode = 0640;
constexpr double kSyncSeconds = 30;
constexpr double kLookSeconds = 1;
constexpr double kLockPatience = 1;  // seconds; a killed run's workers die within milliseconds
constexpr const char* kSealAttribute = "user.msprobe.seal";
constexpr const char* kOptionsAttribute = "user.msprobe.options";

std::string join(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

std::string reason() {
  return std::strerror(errno);
}

// The second after `timestamp`, by the calendar.
std::string next_second(const std::string& timestamp) {
  std::tm time{};
  if (::strptime(timestamp.c_str(), "%Y%m%d%H%M%S", &time) == nullptr) return {};
  time.tm_isdst = -1;
  time.tm_sec += 1;
  std::mktime(&time);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &time)};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// The bytes of a file, for reading; mapped, because a details file may hold hundreds of MB.
class Mapping {
 public:
  Mapping(int fd, size_t size, const std::string& path) : fd_(fd), path_(path) {
    if (size == 0) return;
    range_.emplace(fd, size, util::MappedRange::Access::kRead, path);
    ::madvise(range_->data(), size, MADV_SEQUENTIAL);
  }
  std::string_view text() const { return range_ ? std::string_view(range_->data(), range_->size()) : ""; }
  // After reading: throws ChangedError when somebody who does not ask for locks changed the file meanwhile.
  void check_unchanged() const {
    struct stat now {};
    if (::fstat(fd_, &now) == 0 && static_cast<uint64_t>(now.st_size) != text().size()) throw ChangedError(path_);
    if (range_ && range_->lost()) throw util::lost_error(path_);
  }

 private:
  int fd_;
  std::string path_;
  std::optional<util::MappedRange> range_;
};

std::string attribute(int fd, const char* name) {
  char text[4096];
  const ssize_t n = ::fgetxattr(fd, name, text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

enum class Purpose { kRead, kWrite };

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

std::string header_bytes(const std::vector<std::string>& columns) {
  return std::string(util::kUtf8Mark) + csv_row(columns);
}

// A result file and the details file beside it, opened and locked.
struct Pair {
  Pair(const std::string& result_path, Purpose purpose) {
    const std::filesystem::path path(result_path);
    timestamp = timestamp_of(path.filename().string());
    if (timestamp.empty())
      throw Error(result_path, "is not named accuracy_checking_result_{14 digits}.csv",
                  "give the result file of the interrupted run under the name that it had");
    paths[0] = result_path;
    paths[1] = join(path.parent_path().string(), file_name("details", timestamp));
    for (const auto& name : paths) files.push_back(open_existing(name, purpose));
    const Lock lock = purpose == Purpose::kRead ? Lock::kShared : Lock::kExclusive;
    for (int k : {0, 1}) lock_file(files[k].get(), paths[k], kLockPatience, lock);
    for (int k : {0, 1}) {  // after locking: nobody writes any more
      struct stat status {};
      if (::fstat(files[k].get(), &status) != 0) throw Error(paths[k], "cannot be read: " + reason());
      sizes[k] = static_cast<uint64_t>(status.st_size);
    }
  }

  Mapping map(int k) const { return Mapping(files[k].get(), sizes[k], paths[k]); }
  ResumePlan plan(const Mapping& result, const Mapping& details, int precision) const {
    try {
      return plan_resume(result.text(), paths[0], details.text(), paths[1],
                         parse_seal(attribute(files[0].get(), kSealAttribute)), precision);
    } catch (const Error&) {
      for (const Mapping* file : {&result, &details}) file->check_unchanged();
      throw;
    }
  }

  std::string timestamp;
  std::string paths[2];  // result, details
  std::vector<Descriptor> files;
  uint64_t sizes[2] = {0, 0};
};

}  // namespace

struct ResultFiles::Impl {
  std::string timestamp;
  int precision = 0;
  std::vector<std::string> done, dropped;
  std::optional<ResumePlan> plan;  // a resumed run's, until the first change of the files
  uint32_t kept_result_crc = 0, kept_details_crc = 0;
  AppendFile result, details;
  bool seals = true;  // false once the file system has refused
  bool changed = false;
  Clock::time_point synced = Clock::now(), looked = synced;

  std::string go_on() const { return "go on with -csv_path " + result.path(); }

  void put_seal() {
    if (!seals) return;
    const std::string text = seal_text({result.size(), details.size(), result.crc(), details.crc()});
    seals = ::fsetxattr(result.fd(), kSealAttribute, text.data(), text.size(), 0) == 0;
    // An old seal would contradict what is written from here on, should it be cut and written anew.
    if (!seals) ::fremovexattr(result.fd(), kSealAttribute);
  }

  // Makes the files of a resumed run what the plan says. Results first: no row may stand there without its details.
  void apply_plan() {
    if (!plan) return;
    for (const AppendFile* file : {&result, &details}) file->check_size();
    if (seals && ::fremovexattr(result.fd(), kSealAttribute) != 0 && errno != ENODATA) seals = false;
    result.cut(plan->result_keep, kept_result_crc);
    details.cut(plan->details_keep, kept_details_crc);
    if (plan->details_keep == 0) details.append(header_bytes(details_header()), go_on());
    if (plan->result_keep == 0) result.append(header_bytes(result_header()), go_on());
    plan.reset();
    changed = true;
    put_seal();
  }

  void check_in_place() {
    result.check_in_place();
    details.check_in_place();
    looked = Clock::now();
  }

  void flush() {
    details.sync(go_on());
    result.sync(go_on());
    synced = Clock::now();
  }
};

ResultFiles::ResultFiles(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultFiles::ResultFiles(ResultFiles&&) noexcept = default;
ResultFiles::~ResultFiles() {
  // The last seal makes a resumed run trust the last row; without it that row is only made once more.
  if (!impl_ || !impl_->changed || impl_->result.fd() < 0) return;
  try {
    impl_->put_seal();
  } catch (const std::bad_alloc&) {
    return;
  }
}

namespace {

// Two files on their way into a folder; both vanish again unless they are kept.
class NewPair {
 public:
  NewPair(int folder, const std::string& directory, const std::string& timestamp) : folder_(folder) {
    for (const char* kind : {"details", "result"}) {  // a result file always has a details file beside it
      File& file = files_.emplace_back();
      file.name = file_name(kind, timestamp);
      file.path = join(directory, file.name);
    }
  }
  NewPair(const NewPair&) = delete;
  NewPair& operator=(const NewPair&) = delete;
  ~NewPair() {
    if (kept_) return;
    for (const auto& file : files_)
      if (file.made) ::unlinkat(folder_, file.name.c_str(), 0);
  }

  /// False when one of the names is taken.
  bool make() {
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
  AppendFile& details() { return files_[0].fd; }
  AppendFile& result() { return files_[1].fd; }
  void keep() { kept_ = true; }

 private:
  struct File {
    std::string name, path;
    AppendFile fd;
    bool made = false;
  };
  int folder_;
  std::vector<File> files_;
  bool kept_ = false;
};

}  // namespace

ResultFiles ResultFiles::create(const std::string& directory, const std::string& timestamp, int precision,
                                const std::function<bool(const std::string&)>& claim) {
  const std::string where = directory.empty() ? "." : directory;
  std::error_code failed;
  std::filesystem::create_directories(where, failed);
  if (failed && !std::filesystem::is_directory(where))
    throw Error(where, "cannot be made a folder: " + failed.message(), "choose another folder with -o");
  // Opened once: what becomes of the path during the run does not matter.
  const Descriptor folder(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) throw Error(where, "cannot be opened: " + reason(), "choose another folder with -o");

  auto impl = std::make_unique<Impl>();
  impl->timestamp = timestamp;
  impl->precision = precision;
  constexpr int kSecondsTried = 3600;
  for (int i = 0;; ++i) {
    NewPair files(folder.get(), directory, impl->timestamp);
    if (!files.make() || (claim && !claim(impl->timestamp))) {
      const std::string next = next_second(impl->timestamp);
      if (i >= kSecondsTried || next.empty())
        throw Error(join(directory, file_name("result", impl->timestamp)), "exists already",
                    "choose another folder with -o");
      impl->timestamp = next;
      continue;
    }
    const std::string again = "start again, or choose another folder with -o";
    files.details().append(header_bytes(details_header()), again);
    files.result().append(header_bytes(result_header()), again);
    impl->details = std::move(files.details());
    impl->result = std::move(files.result());
    files.keep();
    break;
  }
  impl->changed = true;
  impl->put_seal();
  return ResultFiles(std::move(impl));
}

ResultFiles ResultFiles::resume(const std::string& result_path, int precision) {
  Pair pair(result_path, Purpose::kWrite);
  auto impl = std::make_unique<Impl>();
  impl->timestamp = pair.timestamp;
  impl->precision = precision;
  {
    const Mapping result = pair.map(0), details = pair.map(1);
    impl->plan = pair.plan(result, details, precision);
    impl->kept_result_crc = crc_of(result.text().substr(0, impl->plan->result_keep));
    impl->kept_details_crc = crc_of(details.text().substr(0, impl->plan->details_keep));
    for (const Mapping* file : {&result, &details}) file->check_unchanged();
  }
  impl->done = std::move(impl->plan->done);
  impl->dropped = std::move(impl->plan->dropped);
  impl->result = AppendFile(pair.files[0].release(), pair.paths[0], pair.sizes[0], 0);
  impl->details = AppendFile(pair.files[1].release(), pair.paths[1], pair.sizes[1], 0);
  return ResultFiles(std::move(impl));
}

ResultRows read_whole(const std::string& result_path) {
  Pair pair(result_path, Purpose::kRead);
  const Mapping result = pair.map(0), details = pair.map(1);
  ResumePlan plan = pair.plan(result, details, kAnyPrecision);
  if (!plan.whole) {
    const std::string& last = plan.dropped.empty() ? std::string("the last row") : plan.dropped.front();
    throw Error(
        result_path,
        "ends in the middle of a row, or its rows and those of " + pair.paths[1] + " do not end together, at " + last,
        "finish that run first, with -csv_path " + result_path);
  }
  ResultRows rows;
  rows.apis = std::move(plan.done);
  for (auto& api : plan.dropped) rows.apis.push_back(std::move(api));  // whole, but not known to be sealed
  rows.results = result.text().substr(header_bytes(result_header()).size());
  rows.details = details.text().substr(header_bytes(details_header()).size());
  rows.digits = plan.digits;
  rows.options = attribute(pair.files[0].get(), kOptionsAttribute);
  for (const Mapping* file : {&result, &details}) file->check_unchanged();
  return rows;
}

const std::vector<std::string>& ResultFiles::done() const {
  return impl_->done;
}
const std::vector<std::string>& ResultFiles::dropped() const {
  return impl_->dropped;
}
const std::string& ResultFiles::result_path() const {
  return impl_->result.path();
}
const std::string& ResultFiles::details_path() const {
  return impl_->details.path();
}
const std::string& ResultFiles::timestamp() const {
  return impl_->timestamp;
}

void ResultFiles::append(const outcome::ApiOutcome& outcome) {
  append_rows(details_lines(outcome, impl_->precision), result_line(outcome));
}

void ResultFiles::append_rows(std::string_view details, std::string_view results) {
  Impl& files = *impl_;
  files.apply_plan();
  files.result.check_size();  // before the details are written, which look after themselves
  const uint64_t size = files.details.size();
  const uint32_t crc = files.details.crc();
  files.details.append(details, files.go_on());
  try {
    files.result.append(results, files.go_on());
  } catch (...) {
    files.details.cut(size, crc);
    throw;
  }
  files.put_seal();
  if (std::chrono::duration<double>(Clock::now() - files.looked).count() > kLookSeconds) files.check_in_place();
  if (std::chrono::duration<double>(Clock::now() - files.synced).count() > kSyncSeconds) files.flush();
}

void ResultFiles::sync() {
  impl_->apply_plan();
  impl_->put_seal();
  impl_->flush();
  impl_->check_in_place();
}

std::string ResultFiles::options() const {
  return attribute(impl_->result.fd(), kOptionsAttribute);
}

void ResultFiles::set_options(const std::string& text) {
  // A file system that keeps no attributes keeps no options either: nothing depends on them but a message.
  ::fsetxattr(impl_->result.fd(), kOptionsAttribute, text.data(), text.size(), 0);
}

void ResultFiles::close_in_child() noexcept {
  impl_->result.close();
  impl_->details.close();
}

}  // namespace msprobe::report
