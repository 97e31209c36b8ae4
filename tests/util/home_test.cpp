#include "util/home.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "util/error.h"

namespace msprobe::util {
namespace {

std::string error_of(const std::string& path) {
  try {
    with_home(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HomeTest, StandsForTheUsersFolderAtTheFrontAlone) {
  const char* before = std::getenv("HOME");
  const std::string kept = before ? before : "";
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(with_home("~"), "/home/somebody");
  EXPECT_EQ(with_home("~/x/y"), "/home/somebody/x/y");
  for (const char* path : {"", "./~/x", "/a/~", "a~", "."}) EXPECT_EQ(with_home(path), path);
  EXPECT_EQ(
      error_of("~bob/x"),
      "\"~bob/x\" begins with ~, which only a shell can resolve; write the folder out (./~ for one of that name)");
  unsetenv("HOME");
  EXPECT_EQ(error_of("~/x"),
            "\"~/x\" begins with ~, but HOME is not set; write the folder out (./~ for one of that name)");
  if (before) setenv("HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace msprobe::util
