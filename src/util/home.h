// "~" in paths that no shell has seen: of configuration files, and of --out_path=~/x.
#pragma once
#include <string>

namespace msprobe::util {

/// `path` with "~" at its front replaced by the user's home folder. Throws Error (without a place) for "~name", which
/// only a shell can resolve; "./~" is a file of that name.
std::string with_home(const std::string& path);

}  // namespace msprobe::util
