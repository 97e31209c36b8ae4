// Files of a tree, for checks that read them line by line.
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::structure {

/// Throws std::runtime_error: a check that reads nothing finds nothing.
inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot be read: " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Those below root/folder whose name ends in one of `endings`, sorted; none where the folder is absent.
inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                                      std::initializer_list<std::string_view> endings) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
          return name.size() >= ending.size() && std::string_view(name).substr(name.size() - ending.size()) == ending;
        }))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// "src/check/judge.cpp:12: ".
inline std::string place(const std::filesystem::path& root, const std::filesystem::path& file, size_t line) {
  return std::filesystem::relative(file, root).generic_string() + ":" + std::to_string(line) + ": ";
}

}  // namespace msprobe::structure
