// Files whose names end in the time of a run.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace msprobe::support {

/// The one file or folder in `folder` whose name begins so; std::runtime_error where there is none, or another.
inline std::filesystem::path only_file(const std::filesystem::path& folder, const std::string& beginning) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
  if (found.size() != 1)
    throw std::runtime_error(folder.string() + " holds " + std::to_string(found.size()) + " of " + beginning);
  return found[0];
}

}  // namespace msprobe::support
