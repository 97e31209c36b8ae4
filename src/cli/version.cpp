#include "cli/version.h"

#include <fmt/format.h>

#include "device/device.h"
#include "options/compat.h"
#include "util/error.h"
#include "util/home.h"
#include "version_info.h"

namespace msprobe::cli {
namespace {

device::Options device_options(const std::vector<std::string>& arguments) {
  device::Options options;
  const auto words = options::canonical_arguments(options::Command::kApis, arguments);
  for (size_t i = 0; i < words.size(); i += 2) {
    if (words[i] != "--torch_npu" || i + 1 == words.size())
      throw Error("", fmt::format("{} behind --version", words[i]), "only --torch_npu PATH may stand there");
    options.torch_npu = util::with_home(words[i + 1]);
  }
  return options;
}

}  // namespace

std::string version_text(const std::vector<std::string>& arguments) {
  const device::Options options = device_options(arguments);
  std::string text =
      fmt::format("msprobe {} ({})\nLibTorch {}\n", MSPROBE_VERSION, MSPROBE_COMMIT, MSPROBE_BUILT_WITH_TORCH);
  for (const device::Found& found : device::detect(options)) {
    text += fmt::format("{:<5} {}{}\n", found.type, found.count, found.note.empty() ? "" : " (" + found.note + ")");
  }
  return text;
}

}  // namespace msprobe::cli
