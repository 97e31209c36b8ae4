#include "util/home.h"

#include <gtest/gtest.h>

#include <string>

#include "support/error_of.h"
#include "support/variable.h"

namespace msprobe::util {
namespace {

std::string error_of(const std::string& path) {
  return support::error_of([&] { with_home(path); });
}

TEST(HomeTest, StandsForTheUsersFolderAtTheFrontAlone) {
  const support::Variable home("HOME", "/home/somebody");
  EXPECT_EQ(with_home("~"), "/home/somebody");
  EXPECT_EQ(with_home("~/x/y"), "/home/somebody/x/y");
  for (const char* path : {"", "./~/x", "/a/~", "a~", "."}) EXPECT_EQ(with_home(path), path);
  EXPECT_EQ(
      error_of("~bob/x"),
      "\"~bob/x\" begins with ~, which only a shell can resolve; write the folder out (./~ for one of that name)");
  home.set(nullptr);
  EXPECT_EQ(error_of("~/x"),
            "\"~/x\" begins with ~, but HOME is not set; write the folder out (./~ for one of that name)");
}

}  // namespace
}  // namespace msprobe::util
