// Where PyTorch's NPU backend lies, and how it is loaded (docs/devices.md#npu).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/options.h"

namespace msprobe::device {

/// A libtorch_npu.so, or a library that stands for it.
struct TorchNpu {
  std::string library;  ///< path of the .so
  std::string version;  ///< of the package, "2.13.0.post1"; "" when not known
  std::string origin;   ///< "--torch_npu", "MSPROBE_TORCH_NPU" or "torch_npu of /usr/bin/python3"
  bool named = false;   ///< by the user: that it cannot be used is an error
};

/// In this order: options.torch_npu (a package folder or the library itself), MSPROBE_TORCH_NPU, the active Python,
/// the Python whose LibTorch msprobe runs with.
/// nullopt: none of them. Throws Error when a named path holds none.
std::optional<TorchNpu> find_torch_npu(const Options& options);

/// Loads it into this process; a second call does nothing. Throws Error: what is missing or does not fit, and the
/// remedy. Touches no device; cards can be counted and operators looked up after it.
void load_torch_npu(const TorchNpu& found);
/// Loads it, and sees that the Python that it will need is there and fits. Throws Error.
void check_torch_npu(const TorchNpu& found);
/// What the first use of a card needs after that. Where the library needs Python: Python, with the package imported,
/// card `index` made current and its operators compiled at run time or not (-j), as a training program would. Takes
/// seconds. Gives lines for the log; nullopt where the library needs no Python. Throws Error.
std::optional<std::vector<std::string>> start_torch_npu(const TorchNpu& found, int index, bool jit_compile);

/// Why `version` of torch_npu does not fit the LibTorch `libtorch` ("2.13.0"); "" when it does or is not known.
std::string version_misfit(const std::string& version, const std::string& libtorch);

}  // namespace msprobe::device
