#include "util/home.h"

#include <cstdlib>

#include "util/error.h"

namespace msprobe::util {

std::string with_home(const std::string& path) {
  if (path.empty() || path[0] != '~') return path;
  const char* home = std::getenv("HOME");
  const bool own = path.size() == 1 || path[1] == '/';
  if (!own || home == nullptr || *home == '\0')
    throw Error("",
                "\"" + path + "\" begins with ~, " + (own ? "but HOME is not set" : "which only a shell can resolve"),
                "write the folder out (./~ for one of that name)");
  return home + path.substr(1);
}

}  // namespace msprobe::util
