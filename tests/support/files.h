// Whole files and folders, as tests read and write them.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::support {

namespace fs = std::filesystem;

/// The bytes of a file; "" where there is none.
inline std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The lines of a file; std::runtime_error where there is none.
inline std::vector<std::string> lines(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " cannot be read");
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

inline void put(const fs::path& path, std::string_view bytes, std::ios::openmode mode) {
  std::ofstream out(path, std::ios::binary | mode);
  out << bytes << std::flush;
  if (!out) throw std::runtime_error(path.string() + " cannot be written");
}

/// Makes a file of these bytes in the place of what is there, and the folders that it needs; std::runtime_error where
/// that cannot be done.
inline void write(const fs::path& path, std::string_view bytes) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  put(path, bytes, std::ios::trunc);
}

/// Adds these bytes to a file's end; std::runtime_error where that cannot be done.
inline void append(const fs::path& path, std::string_view bytes) {
  put(path, bytes, std::ios::app);
}

/// How many files and folders a folder holds; none where it is not there.
inline size_t entries(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace msprobe::support
