#include "cli/version.h"

#include <fmt/format.h>

#include "device/device.h"
#include "version_info.h"

namespace msprobe::cli {

std::string version_text() {
  std::string text =
      fmt::format("msprobe {} ({})\nLibTorch {}\n", MSPROBE_VERSION, MSPROBE_COMMIT, MSPROBE_BUILT_WITH_TORCH);
  for (const device::Found& found : device::detect(config::Settings{})) {
    text += fmt::format("{:<5} {}{}\n", found.type, found.count, found.note.empty() ? "" : " (" + found.note + ")");
  }
  return text;
}

}  // namespace msprobe::cli
