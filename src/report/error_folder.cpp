#include "report/error_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "report/file_names.h"
#include "util/error.h"
#include "util/write_error.h"

namespace msprobe::report {

std::string error_folder(const Options& options, const std::string& timestamp) {
  return (options.error_data_path.empty() ? "." : options.error_data_path) + "/" + error_folder_name(timestamp);
}

ErrorFolder::~ErrorFolder() {
  if (!path_.empty()) ::rmdir(path_.c_str());  // refuses while something lies in it
}

bool ErrorFolder::claim(const std::string& timestamp) {
  if (!options_.saves_tensors) return true;
  constexpr mode_t kMode = 0750;
  const std::string path = error_folder(options_, timestamp);
  if (::mkdir(path.c_str(), kMode) != 0) {
    if (errno == EEXIST) return false;
    const int reason = errno;
    const std::string what = "folder " + path + " cannot be made: " + std::strerror(reason);
    if (util::wants_room(reason)) throw WriteError("error_data_path", what, "free some space, or name another one");
    throw Error("error_data_path", what, "name another one");
  }
  path_ = path;
  // Whatever the umask; a file system without modes may refuse, and the folder serves with those that it has.
  [[maybe_unused]] const int refused = ::chmod(path.c_str(), kMode);
  return true;
}

void ErrorFolder::go_on(const std::string& timestamp) {
  if (!options_.saves_tensors) return;
  const std::string path = error_folder(options_, timestamp);
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode))
    throw Error("error_data_path",
                path + (S_ISLNK(info.st_mode) ? " is a symbolic link" : " is a file") + ", expected a folder",
                "remove it, or move the folder back to its place");
  path_ = path;
}

}  // namespace msprobe::report
