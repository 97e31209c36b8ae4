// A folder that is gone with the test.
#pragma once
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "support/files.h"

namespace msprobe::support {

/// A new and empty folder, of mode 0700, that goes with the object, whatever it holds by then.
class TempFolder {
 public:
  /// In `base`. std::system_error where no folder can be made there.
  explicit TempFolder(const fs::path& base = fs::temp_directory_path()) {
    std::string pattern = base / "msprobe_test_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
  }
  ~TempFolder() { fs::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const fs::path& path() const { return path_; }
  operator const fs::path&() const { return path_; }
  std::string string() const { return path_.string(); }
  fs::path operator/(const fs::path& name) const { return path_ / name; }

  /// Makes a file of these bytes, and the folders that it needs. Returns its path.
  std::string write(const fs::path& name, std::string_view bytes) const {
    support::write(path_ / name, bytes);
    return path_ / name;
  }

 private:
  fs::path path_;
};

/// Where many files are soon made and gone: memory, as far as the system gives some as a folder.
inline fs::path memory_folder() {
  return access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
}

}  // namespace msprobe::support
