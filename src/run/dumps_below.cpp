#include "run/dumps_below.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

/// Folders in `folder` whose names begin so: by the number behind it, then by name.
std::vector<fs::path> folders(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code unreadable, unknown;
  for (fs::directory_iterator at(folder, unreadable), end; !unreadable && at != end; at.increment(unreadable))
    if (at->path().filename().string().starts_with(beginning) && at->is_directory(unknown)) found.push_back(at->path());
  // A longer number is a larger one, as long as it is written without zeros before it.
  const auto order = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return std::tuple(name.size(), name);
  };
  std::sort(found.begin(), found.end(), [&](const fs::path& a, const fs::path& b) { return order(a) < order(b); });
  return found;
}

void add_dump(const fs::path& folder, std::vector<std::string>& dumps) {
  std::error_code unknown;
  if (fs::is_regular_file(folder / "dump.json", unknown)) dumps.push_back((folder / "dump.json").string());
}

void add_ranks(const fs::path& step, std::vector<std::string>& dumps) {
  for (const fs::path& rank : folders(step, "rank")) add_dump(rank, dumps);
}

}  // namespace

std::vector<std::string> dumps_below(const std::string& folder) {
  std::vector<std::string> dumps;
  add_dump(folder, dumps);
  add_ranks(folder, dumps);
  for (const fs::path& step : folders(folder, "step")) add_ranks(step, dumps);
  return dumps;
}

}  // namespace msprobe::run
