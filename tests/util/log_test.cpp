#include "util/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <regex>

#include "support/temp_folder.h"
#include "support/variable.h"
#include "util/error.h"

namespace msprobe::util {
namespace {

namespace fs = std::filesystem;
using support::content;

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { spdlog::set_default_logger(before_); }
  /// What stderr gets of one message of each level, times taken out.
  std::string said(int verbosity, const std::string& file = "") {
    testing::internal::CaptureStderr();
    init_log(verbosity, file);
    spdlog::trace("t");
    spdlog::debug("d");
    spdlog::info("i {}", 1);
    spdlog::warn("w");
    spdlog::error("e");
    return std::regex_replace(testing::internal::GetCapturedStderr(), std::regex(R"(\d\d:\d\d:\d\d )"), "");
  }
  /// What init_log() says of `file`; it must say so at once.
  static std::string refusal(const std::string& file) {
    constexpr unsigned kSeconds = 20;
    alarm(kSeconds);  // ends the test where a FIFO keeps it waiting
    std::string words = "nothing was thrown";
    try {
      init_log(-1, file);
      spdlog::warn("must not arrive");
    } catch (const Error& error) {
      words = error.what();
    }
    alarm(0);
    return words;
  }
  const support::TempFolder folder_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

TEST_F(LogTest, VerbosityPicksTheLevels) {
  EXPECT_EQ(said(-1), "warning: w\nerror: e\n");
  EXPECT_EQ(said(0), "info: i 1\nwarning: w\nerror: e\n");
  EXPECT_EQ(said(1), "debug: d\ninfo: i 1\nwarning: w\nerror: e\n");
  EXPECT_EQ(said(2), "trace: t\ndebug: d\ninfo: i 1\nwarning: w\nerror: e\n");
}

TEST_F(LogTest, AMessageIsOneLineWhateverADumpHolds) {
  const std::string path = folder_ / "msprobe.log";
  testing::internal::CaptureStderr();
  init_log(0, path);
  spdlog::warn("{}", "a\x1b[2J\nerror: b");
  const std::string screen = testing::internal::GetCapturedStderr();
  for (const std::string& text : {screen, content(path)})
    EXPECT_TRUE(text.ends_with(" warning: a\\x1b[2J\\nerror: b\n") || text.ends_with("warning: a\\x1b[2J\\nerror: b\n"))
        << text;
}

TEST_F(LogTest, AFullDiskIsToldOnceAndInPlainWords) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const std::string file = folder_ / "full.log";
  testing::internal::CaptureStderr();
  init_log(-1, file);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);  // in the place of the file that was opened
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) == fs::canonical(file))
      dup2(full, std::stoi(entry.path().filename().string()));
  }
  close(full);
  spdlog::warn("w");
  spdlog::error("e");
  const std::string screen = testing::internal::GetCapturedStderr();
  EXPECT_EQ(
      screen.find("msprobe: warning: " + file + ": the log cannot be written, what follows is on the terminal alone: "),
      screen.find("msprobe: "));
  EXPECT_NE(screen.find("msprobe: "), std::string::npos);
  EXPECT_EQ(screen.find("msprobe: "), screen.rfind("msprobe: "));
  EXPECT_NE(screen.find("warning: w\n"), std::string::npos);
  EXPECT_NE(screen.find("error: e\n"), std::string::npos);
  EXPECT_EQ(screen.find("LOG ERROR"), std::string::npos);
}

TEST_F(LogTest, TheFileGetsEverythingFromDebugOn) {
  const std::string path = folder_ / "msprobe.log";
  EXPECT_EQ(said(-1, path), "warning: w\nerror: e\n");
  const std::string file =
      std::regex_replace(content(path), std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \d+ )"), "");
  EXPECT_EQ(file, "debug: d\ninfo: i 1\nwarning: w\nerror: e\n");
}

TEST_F(LogTest, ColourCanBeForced) {
  const support::Variable forced("FORCE_COLOR", "1");
  const std::string text = said(-1);
  EXPECT_NE(text.find("\x1b["), std::string::npos);
  EXPECT_NE(text.find("warning"), std::string::npos);
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsSaid) {
  const std::string path = folder_.string();  // a folder
  try {
    init_log(0, path);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), path);
    EXPECT_EQ(error.remedy(), "choose another place for it");
  }
}

TEST_F(LogTest, ALinkInItsPlaceIsNotFollowed) {
  const fs::path victim = folder_ / "victim";
  support::write(victim, "untouched");
  const fs::path file = folder_ / "msprobe.log";
  for (const fs::path& target : {victim, folder_ / "absent"}) {
    fs::create_symlink(target, file);
    EXPECT_EQ(refusal(file),
              file.string() + ": the log file cannot be opened: it is a symbolic link; remove that link");
    fs::remove(file);
  }
  EXPECT_EQ(content(victim), "untouched");
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
}

TEST_F(LogTest, ASecondNameOfAFileIsNotWrittenThrough) {
  folder_.write("victim", "untouched");
  const fs::path file = folder_ / "msprobe.log";
  fs::create_hard_link(folder_ / "victim", file);
  EXPECT_THAT(refusal(file), testing::HasSubstr("it has 2 names (hard links)"));
  EXPECT_EQ(content(folder_ / "victim"), "untouched");
}

TEST_F(LogTest, AFifoInItsPlaceIsNotWaitedFor) {
  const fs::path file = folder_ / "msprobe.log";
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  const std::string refused = file.string() + ": the log file cannot be opened: it is not a regular file; remove it";
  EXPECT_EQ(refusal(file), refused);
  const int reader = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(refusal(file), refused);  // with a reader it can be opened
  char bytes[64];
  EXPECT_LE(read(reader, bytes, sizeof bytes), 0);
  close(reader);
}

TEST_F(LogTest, AFileThatIsThereGoesOn) {
  const fs::path file = folder_ / "msprobe.log";
  support::write(file, "before\n");
  said(-1, file);
  EXPECT_EQ(content(file).substr(0, 7), "before\n");
  EXPECT_NE(content(file).find(" warning: w\n"), std::string::npos);
}

}  // namespace
}  // namespace msprobe::util
