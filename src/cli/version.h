// msprobe --version
#pragma once
#include <string>

namespace msprobe::cli {

/// Version and commit, LibTorch as built with and as loaded, the devices found. Several lines. Loads the NPU backend
/// when there is one, so it must not be called in a process that forks workers.
std::string version_text();

}  // namespace msprobe::cli
