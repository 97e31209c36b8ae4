// msprobe --version
#pragma once
#include <string>
#include <vector>

namespace msprobe::cli {

/// Version and commit, LibTorch as built with and as loaded, the devices found. Several lines. Loads the NPU backend
/// when there is one, so it must not be called in a process that forks workers.
/// `arguments`: --torch_npu PATH, or nothing. Throws Error for others.
std::string version_text(const std::vector<std::string>& arguments);

}  // namespace msprobe::cli
