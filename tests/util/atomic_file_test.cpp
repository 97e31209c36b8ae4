#include "util/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "support/temp_folder.h"
#include "util/error.h"
#include "util/write_error.h"

namespace msprobe::util {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  size_t files() const { return support::entries(folder_); }
  const support::TempFolder folder_;
};

TEST_F(AtomicFileTest, IsThereOnlyOnceCommitted) {
  {
    AtomicFile file(path("a"), 0640);
    file.write("hello ");
    EXPECT_FALSE(fs::exists(path("a")));
    file.write("world");
    file.commit(true);
    EXPECT_EQ(file.written(), 11u);
  }
  EXPECT_EQ(read_file(path("a"), 100), "hello world");
  EXPECT_EQ(files(), 1u);
  struct stat info {};
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777 & ~0640u, 0u);
}

TEST_F(AtomicFileTest, WhatSomebodyElseCutShortIsNotPutInPlace) {
  for (const bool write_again : {false, true}) {
    AtomicFile file(path("a"));
    file.write("hello world");
    const std::string temporary = fs::directory_iterator(folder_)->path();
    fs::resize_file(temporary, 3);
    try {
      if (write_again) file.write("!");
      file.commit();
      FAIL() << "no error";
    } catch (const WriteError& error) {
      EXPECT_EQ(error.what(), temporary +
                                  ": holds 3 bytes, 11 were written: something else changed it meanwhile; start "
                                  "again, and leave the files alone until the program ends");
    }
    EXPECT_EQ(fs::file_size(temporary), 3u);
    EXPECT_FALSE(fs::exists(path("a")));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, LeavesTheOldFileWhenGivenUp) {
  folder_.write("a", "old");
  {
    AtomicFile file(path("a"));
    file.write("new");
  }
  EXPECT_EQ(read_file(path("a"), 100), "old");
  EXPECT_EQ(files(), 1u);
}

// The names that the next files of this process get are known to whoever lists the folder.
TEST_F(AtomicFileTest, TakenTemporaryNamesAreNotFollowed) {
  constexpr int kPlanted = 200;
  folder_.write("victim", "untouched");
  for (int n = 0; n < kPlanted; ++n)
    fs::create_symlink(path("victim"), path(".a." + std::to_string(getpid()) + "." + std::to_string(n) + ".tmp"));
  AtomicFile file(path("a"));
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(path("a"), 100), "new");
  EXPECT_EQ(read_file(path("victim"), 100), "untouched");
  EXPECT_EQ(files(), kPlanted + 2u);
}

TEST_F(AtomicFileTest, WhatHasItsNameIsReplacedAndNotFollowed) {
  folder_.write("victim", "untouched");
  fs::create_symlink(path("victim"), path("link"));
  fs::create_hard_link(path("victim"), path("second"));
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  for (const char* name : {"link", "second", "fifo"}) {
    AtomicFile file(path(name));
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path(name)))) << name;
    EXPECT_EQ(read_file(path(name), 100), "new");
  }
  EXPECT_EQ(read_file(path("victim"), 100), "untouched");
}

TEST_F(AtomicFileTest, AFolderOfItsNameIsSaid) {
  fs::create_directory(path("a"));
  try {
    AtomicFile file(path("a"));
    file.commit();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), path("a"));
    EXPECT_EQ(error.remedy(), "remove the folder of that name, or choose another");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, MissingFolderIsSaid) {
  try {
    AtomicFile file(path("no/a"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path("no/a") + ": cannot be made: No such file or directory; make its folder first");
  }
}

TEST_F(AtomicFileTest, ADiskThatIsFullIsSaidAndNothingStays) {
  // A limit on the size of files stands in for the full disk: write(2) takes a part, then fails with EFBIG.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit low{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  std::string message;
  try {
    AtomicFile file(path("big"), 0640, 5000);
    file.write(std::string(5000, 'x'));
    file.commit();
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, path("big") + ": cannot be written: File too large; allow larger files (ulimit -f)");
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, LongNamesFit) {
  const std::string name(250, 'n');
  AtomicFile file(path(name));
  file.write("x");
  file.commit();
  EXPECT_EQ(read_file(path(name), 10), "x");
}

TEST_F(AtomicFileTest, ReadingRefusesWhatIsNoFile) {
  const auto message = [](const std::string& name, uint64_t limit) {
    try {
      read_file(name, limit);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  folder_.write("a", "12345");
  EXPECT_EQ(message(path("fifo"), 10), path("fifo") + ": is not a regular file");
  EXPECT_EQ(message(folder_.string(), 10), folder_.string() + ": is a folder, expected a file");
  EXPECT_EQ(message(path("none"), 10), path("none") + ": cannot be opened: No such file or directory; check the path");
  EXPECT_EQ(message(path("a"), 4),
            path("a") + ": holds 5 bytes, at most 4 bytes are expected here; check that this is the right file");
  EXPECT_EQ(read_file(path("a"), 5), "12345");
}

TEST(SizeTextTest, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1000), "1.0 kB");
  EXPECT_EQ(size_text(1'500'000'000), "1.5 GB");
}

}  // namespace
}  // namespace msprobe::util
