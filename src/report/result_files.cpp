#include "report/result_files.h"

#include <fcntl.h>
#include <sys/xattr.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "report/append_file.h"
#include "report/csv_writer.h"
#include "report/file_names.h"
#include "report/result_pair.h"
#include "util/checksum.h"
#include "util/descriptor.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSyncSeconds = 30;
constexpr double kLookSeconds = 1;

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

ResultFiles ResultFiles::create(const std::string& directory, const std::string& timestamp, int precision,
                                const std::function<bool(const std::string&)>& claim) {
  const std::string where = directory.empty() ? "." : directory;
  std::error_code failed;
  std::filesystem::create_directories(where, failed);
  if (failed && !std::filesystem::is_directory(where))
    throw Error(where, "cannot be made a folder: " + failed.message(), "choose another folder with -o");
  // Opened once: what becomes of the path during the run does not matter.
  const util::Descriptor folder(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0)
    throw Error(where, "cannot be opened: " + std::string(std::strerror(errno)), "choose another folder with -o");

  auto impl = std::make_unique<Impl>();
  impl->timestamp = timestamp;
  impl->precision = precision;
  constexpr int kSecondsTried = 3600;
  for (int i = 0;; ++i) {
    NewPair files(folder.get(), directory, impl->timestamp);
    if (!files.make() || (claim && !claim(impl->timestamp))) {
      const std::string next = util::next_second(impl->timestamp);
      if (i >= kSecondsTried || next.empty())
        throw Error(joined(directory, file_name("result", impl->timestamp)), "exists already",
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
    impl->kept_result_crc = util::crc32_of(result.text().substr(0, impl->plan->result_keep));
    impl->kept_details_crc = util::crc32_of(details.text().substr(0, impl->plan->details_keep));
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
