// Runs a fuzz target over files and folders of kept inputs, for compilers without libFuzzer and for CTest. An input may
// take a second; sanitizers make everything slower, so there it is ten.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "target.h"

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 10;
#else
constexpr double kMostSeconds = 1;
#endif

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "no inputs: name files or folders\n");
    return 2;
  }
  int slow = 0;
  for (const fs::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      return 2;
    }
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    // Printed before it runs: a crash then stands behind the name of its input.
    std::printf("%s: %zu bytes", path.filename().c_str(), bytes.size());
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(", %.3f s\n", seconds);
    if (seconds > kMostSeconds) {
      std::fprintf(stderr, "%s takes %.1f s, more than %.0f s\n", path.c_str(), seconds, kMostSeconds);
      ++slow;
    }
  }
  std::printf("%zu inputs\n", files.size());
  return slow == 0 ? 0 : 1;
}
