#include "report/error_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ErrorFolderTest : public testing::Test {
 protected:
  ErrorFolderTest() {
    options_.error_data_path = folder_.string();
    options_.saves_tensors = true;
  }
  const support::TempFolder folder_;
  Options options_;
  const std::string timestamp_ = "20260102030405";
};

TEST_F(ErrorFolderTest, ANameThatIsTakenIsNotClaimed) {
  const fs::path path = error_folder(options_, timestamp_), others = options_.error_data_path + "/others";
  fs::create_directory(others);
  for (const fs::path& target : {others, others / "absent"}) {
    fs::create_directory_symlink(target, path);
    EXPECT_FALSE(ErrorFolder(options_).claim(timestamp_));
    fs::remove(path);
  }
  support::write(path, "a file");
  EXPECT_FALSE(ErrorFolder(options_).claim(timestamp_));
}

TEST_F(ErrorFolderTest, GoingOnFollowsNoLink) {
  const fs::path path = error_folder(options_, timestamp_), others = options_.error_data_path + "/others";
  ErrorFolder(options_).go_on(timestamp_);  // absent: it comes with the first tensors
  fs::create_directory(others);
  fs::create_directory_symlink(others, path);
  try {
    ErrorFolder(options_).go_on(timestamp_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "error_data_path");
    EXPECT_EQ(error.message(), path.string() + " is a symbolic link, expected a folder");
  }
  fs::remove(path);
  support::write(path, "a file");
  EXPECT_THROW(ErrorFolder(options_).go_on(timestamp_), Error);
}

}  // namespace
}  // namespace msprobe::report
