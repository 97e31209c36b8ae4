// A result file that is there already and the details file beside it, opened and locked; and a new pair of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/append_file.h"
#include "report/resume_plan.h"
#include "util/descriptor.h"
#include "util/mapped_range.h"

namespace msprobe::report {

/// Extended attributes of a result file; both are text.
constexpr const char* kSealAttribute = "user.msprobe.seal";
constexpr const char* kOptionsAttribute = "user.msprobe.options";
/// Empty where the file system, or the file, has none.
std::string attribute(int fd, const char* name);

/// Mark and header of a file.
std::string header_bytes(const std::vector<std::string>& columns);

/// The bytes of a file, for reading; mapped, because a details file may hold hundreds of MB.
class Mapping {
 public:
  Mapping(int fd, size_t size, std::string path);
  std::string_view text() const { return range_ ? std::string_view(range_->data(), range_->size()) : ""; }
  /// After reading: throws ChangedError when somebody who does not ask for locks changed the file meanwhile.
  void check_unchanged() const;

 private:
  int fd_;
  std::string path_;
  std::optional<util::MappedRange> range_;
};

enum class Purpose { kRead, kWrite };

/// Throws Error: not named as a result file is, absent, a link, no regular file, unfit to be written to, or in use.
struct Pair {
  Pair(const std::string& result_path, Purpose purpose);

  Mapping map(int k) const { return Mapping(files[k].get(), sizes[k], paths[k]); }
  /// Throws as plan_resume() does, and ChangedError.
  ResumePlan plan(const Mapping& result, const Mapping& details, int precision) const;

  std::string timestamp;
  std::string paths[2];  ///< result, details
  std::vector<util::Descriptor> files;
  uint64_t sizes[2] = {0, 0};
};

/// Two files on their way into a folder; both vanish again unless they are kept.
class NewPair {
 public:
  NewPair(int folder, const std::string& directory, const std::string& timestamp);
  NewPair(const NewPair&) = delete;
  NewPair& operator=(const NewPair&) = delete;
  ~NewPair();

  /// False when one of the names is taken. Throws Error or WriteError.
  bool make();
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

}  // namespace msprobe::report
