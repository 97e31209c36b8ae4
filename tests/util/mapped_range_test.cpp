#include "util/mapped_range.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

#include "support/temp_folder.h"

namespace msprobe::util {
namespace {

constexpr size_t kSize = 20'000;

class MappedRangeTest : public testing::Test {
 protected:
  MappedRangeTest() {
    path_ = folder_.write("file", std::string(kSize, 'x'));
    fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~MappedRangeTest() override { close(fd_); }
  void cut() const { std::filesystem::resize_file(path_, 5000); }

  const support::TempFolder folder_;
  std::string path_;
  int fd_;
};

size_t count(const MappedRange& range, char c) {
  return static_cast<size_t>(std::count(range.data(), range.data() + range.size(), c));
}

TEST_F(MappedRangeTest, PagesThatAreGoneReadAsZerosAndTheirFileIsNamedOnce) {
  const MappedRange range(fd_, kSize, MappedRange::Access::kRead, "first"),
      other(fd_, kSize, MappedRange::Access::kPrivateWrite, "second");
  EXPECT_FALSE(take_lost_file());
  cut();
  EXPECT_EQ(count(range, 'x'), 5000u);
  EXPECT_EQ(count(range, '\0'), kSize - 5000);
  EXPECT_TRUE(range.lost());
  EXPECT_FALSE(other.lost());
  other.data()[kSize - 1] = 'y';
  EXPECT_TRUE(other.lost());
  EXPECT_EQ(other.data()[kSize - 1], 'y');
  const auto lost = take_lost_file();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->where(), "first");
  EXPECT_EQ(lost->message(), "was cut short while it was being read, or its disk failed");
  EXPECT_FALSE(take_lost_file());
}

TEST_F(MappedRangeTest, AnyThreadMayMeetThem) {
  constexpr int kRounds = 50, kThreads = 4;
  for (int round = 0; round < kRounds; ++round) {
    support::write(path_, std::string(kSize, 'x'));
    const MappedRange range(fd_, kSize, MappedRange::Access::kRead, "file");
    cut();
    std::vector<size_t> zeros(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { zeros[t] = count(range, '\0'); });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(zeros, std::vector<size_t>(kThreads, kSize - 5000));
  }
  EXPECT_TRUE(take_lost_file());
}

TEST_F(MappedRangeTest, ThatAFileWasChangedIsNotedOnce) {
  note_changed_file("a");
  note_changed_file("b");
  EXPECT_EQ(std::string(take_lost_file().value().what()),
            "a: was changed while it was being read; start again when nothing writes to it any more");
  EXPECT_FALSE(take_lost_file());
}

#ifndef MSPROBE_INSTRUMENTED  // a sanitizer's own handler exits
using MappedRangeDeathTest = MappedRangeTest;

TEST_F(MappedRangeDeathTest, AnyOtherBusErrorEndsTheProcessAsEver) {
  const MappedRange range(fd_, kSize, MappedRange::Access::kRead, "file");
  EXPECT_EXIT(raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
  const auto foreign = [&] {
    const char* bytes = static_cast<char*>(mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE, fd_, 0));
    cut();
    volatile char last = bytes[kSize - 1];
    (void)last;
  };
  EXPECT_EXIT(foreign(), testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedRangeDeathTest, AHandlerThatWasThereBeforeIsAsked) {
  EXPECT_EXIT(
      {
        signal(SIGBUS, [](int) { _exit(42); });
        const MappedRange range(fd_, kSize, MappedRange::Access::kRead, "file");
        raise(SIGBUS);
      },
      testing::ExitedWithCode(42), "");
}
#endif

}  // namespace
}  // namespace msprobe::util
