// The program, run from a test as a user runs it.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace msprobe::cli {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string out, err;
};

inline std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A test with a folder of its own, in which it runs the program.
class ProgramFixture : public testing::Test {
 protected:
  ProgramFixture() : folder_(fs::temp_directory_path() / ("msprobe_program_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ProgramFixture() override { fs::remove_all(folder_); }

  /// Runs `msprobe ARGUMENTS` through the shell, in folder_, with a clean environment.
  Outcome msprobe(const std::string& arguments, const std::string& environment = "") {
    const std::string command =
        "cd '" + folder_.string() + "' && env -u MSPROBE_CONFIG MSPROBE_CONFIG_DIR='" MSPROBE_CONFIG_DIR "' " +
        environment + " '" MSPROBE_PROGRAM "' " + arguments + " >stdout.txt 2>stderr.txt </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), content(folder_ / "stdout.txt"),
            content(folder_ / "stderr.txt")};
  }

  fs::path only_file(const std::string& folder, const std::string& beginning) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / folder)) {
      if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
    }
    EXPECT_EQ(found.size(), 1u) << beginning << " in " << folder;
    return found.empty() ? fs::path() : found[0];
  }

  fs::path folder_;
};

}  // namespace msprobe::cli
