#include "plan/contents.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "goldens/user/configuration.h"
#include "util/atomic_file.h"
#include "util/error.h"
#include "util/hash.h"

namespace msprobe::plan {
namespace {

constexpr uint64_t kLargest = 64 << 20;

std::string contents(const std::vector<std::string>& paths) {
  uint64_t hash = util::fnv1a64("");
  for (const auto& path : paths) {
    try {
      hash = util::fnv1a64(util::read_file(path, kLargest), hash);
    } catch (const Error&) {
      return path;
    }
  }
  return std::filesystem::path(paths.back()).filename().string() + " " + util::hexadecimal(hash);
}

// The files of users' goldens. Errors of the file are told by whoever uses it.
std::vector<std::string> sources_of(const std::string& yaml) {
  std::vector<std::string> files;
  try {
    for (const auto& op : goldens::read_configuration(yaml).operators)
      if (op.file != yaml && std::find(files.begin(), files.end(), op.file) == files.end()) files.push_back(op.file);
  } catch (const Error&) {
  }
  return files;
}

std::string state_of(const std::vector<std::string>& files) {
  uint64_t hash = util::fnv1a64("");
  const auto add = [&](int64_t number) { hash = util::fnv1a64(std::to_string(number) + ",", hash); };
  for (const auto& file : files) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) continue;
    add(info.st_size);
    if (static_cast<uint64_t>(info.st_size) > kLargest)
      add(info.st_mtime);
    else
      hash = util::fnv1a64(util::read_file(file, kLargest), hash);
  }
  return util::hexadecimal(hash);
}

}  // namespace

std::string contents_of_standard(const config::Settings& settings) {
  return contents({config::installed_config("signatures.yaml"),
                   settings.precision_standard.empty() ? config::installed_config("precision_standard.yaml")
                                                       : settings.precision_standard});
}

std::string contents_of_operators(const config::Settings& settings) {
  std::vector<std::string> paths = {config::installed_config("fused_operators.yaml")};
  if (settings.fused_operators.empty()) return contents(paths);
  paths.push_back(settings.fused_operators);
  const std::vector<std::string> sources = sources_of(settings.fused_operators);
  std::string text = contents(paths);
  if (!sources.empty()) text.append(1, ' ').append(state_of(sources));
  return text;
}

}  // namespace msprobe::plan
