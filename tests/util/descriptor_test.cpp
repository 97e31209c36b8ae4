#include "util/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

int opened() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}
bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(DescriptorTest, ClosesWhatItOwns) {
  const int fd = opened();
  {
    const Descriptor owner(fd);
    EXPECT_TRUE(owner.valid());
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(DescriptorTest, MovesClosesAndGivesAway) {
  const int first = opened(), second = opened();
  Descriptor a(first), b(second);
  b = std::move(a);
  EXPECT_FALSE(is_open(second));
  EXPECT_EQ(b.get(), first);
  EXPECT_EQ(b.release(), first);
  EXPECT_FALSE(b.valid());
  EXPECT_TRUE(is_open(first));
  ::close(first);
}

}  // namespace
}  // namespace msprobe::util
