// The program, run from a test as a user runs it. MSPROBE_PROGRAM and MSPROBE_CONFIG_DIR are the build's.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/files.h"
#include "support/only_file.h"
#include "support/shell.h"
#include "support/temp_folder.h"

namespace msprobe::support {

struct Outcome {
  int code = -1;  ///< 1000 + the signal that ended it
  std::string out, err;
};

/// Runs `msprobe ARGUMENTS` through the shell, in `folder`, with `environment` ("A=1 B=2") and without the user's
/// configuration. What it prints stays in the folder, in stdout.txt and stderr.txt; `behind` stands after these
/// redirections, and may change them.
inline Outcome run_program(const fs::path& folder, const std::string& arguments, const std::string& environment = "",
                           const std::string& behind = "") {
  const int code =
      shell("cd '" + folder.string() + "' && env -u MSPROBE_CONFIG MSPROBE_CONFIG_DIR='" MSPROBE_CONFIG_DIR "' " +
            environment + " '" MSPROBE_PROGRAM "' " + arguments + " >stdout.txt 2>stderr.txt </dev/null " + behind);
  return {code, content(folder / "stdout.txt"), content(folder / "stderr.txt")};
}

/// A test with a folder of its own, in which it runs the program.
class ProgramFixture : public testing::Test {
 protected:
  Outcome msprobe(const std::string& arguments, const std::string& environment = "") {
    return run_program(folder_, arguments, environment);
  }
  fs::path only_file(const std::string& folder, const std::string& beginning) const {
    return support::only_file(folder_ / folder, beginning);
  }

  const TempFolder folder_;
};

}  // namespace msprobe::support
