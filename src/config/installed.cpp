// Where the files of config/ are at run time.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "config/settings.h"
#include "util/error.h"

namespace msprobe::config {
namespace {

bool is_kind(const std::string& path, mode_t kind) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

/// Folder of the running program; empty when the kernel does not tell.
std::string program_folder() {
  std::string path(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "";
  path.resize(static_cast<size_t>(length));
  return path.substr(0, path.rfind('/'));
}

/// In the order in which they are tried; none needs to exist.
std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  if (const char* named = std::getenv("MSPROBE_CONFIG_DIR"); named && *named) {
    if (!is_kind(named, S_IFDIR))
      throw Error("MSPROBE_CONFIG_DIR", std::string("names ") + named + ", which is not a folder",
                  "correct or unset it");
    folders.emplace_back(named);
  }
  if (const std::string program = program_folder(); !program.empty()) {
    folders.push_back(program + "/../share/msprobe");
    folders.push_back(program + "/../config");
  }
#ifdef MSPROBE_SOURCE_CONFIG_DIR
  folders.emplace_back(MSPROBE_SOURCE_CONFIG_DIR);
#endif
  return folders;
}

}  // namespace

std::string installed_config(const std::string& file) {
  std::string tried;
  for (const std::string& folder : candidates()) {
    const std::string path = folder + "/" + file;
    if (is_kind(path, S_IFREG)) return path;
    tried += (tried.empty() ? "" : ", ") + folder;
  }
  throw Error(file, "not found in " + (tried.empty() ? "any folder" : tried),
              "install msprobe completely, or name the folder that holds it in MSPROBE_CONFIG_DIR");
}

}  // namespace msprobe::config
