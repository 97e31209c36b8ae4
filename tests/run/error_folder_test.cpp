#include "report/error_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "util/error.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ErrorFolderTest : public testing::Test {
 protected:
  ErrorFolderTest() {
    std::string pattern = fs::temp_directory_path() / "error_folder_XXXXXX";
    settings_.error_data_path = mkdtemp(pattern.data());
    settings_.save_data = config::SaveData::kError;
  }
  ~ErrorFolderTest() override { fs::remove_all(settings_.error_data_path); }
  config::Settings settings_;
  const std::string timestamp_ = "20260102030405";
};

TEST_F(ErrorFolderTest, ANameThatIsTakenIsNotClaimed) {
  const fs::path path = report::error_folder(settings_, timestamp_), others = settings_.error_data_path + "/others";
  fs::create_directory(others);
  for (const fs::path& target : {others, others / "absent"}) {
    fs::create_directory_symlink(target, path);
    EXPECT_FALSE(report::ErrorFolder(settings_).claim(timestamp_));
    fs::remove(path);
  }
  std::ofstream(path) << "a file";
  EXPECT_FALSE(report::ErrorFolder(settings_).claim(timestamp_));
}

TEST_F(ErrorFolderTest, GoingOnFollowsNoLink) {
  const fs::path path = report::error_folder(settings_, timestamp_), others = settings_.error_data_path + "/others";
  report::ErrorFolder(settings_).go_on(timestamp_);  // absent: it comes with the first tensors
  fs::create_directory(others);
  fs::create_directory_symlink(others, path);
  try {
    report::ErrorFolder(settings_).go_on(timestamp_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "error_data_path");
    EXPECT_EQ(error.message(), path.string() + " is a symbolic link, expected a folder");
  }
  fs::remove(path);
  std::ofstream(path) << "a file";
  EXPECT_THROW(report::ErrorFolder(settings_).go_on(timestamp_), Error);
}

}  // namespace
}  // namespace msprobe::run
