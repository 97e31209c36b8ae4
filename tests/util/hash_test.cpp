#include "util/hash.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

// The vectors that the authors of FNV publish for 64 bits, FNV-1a.
TEST(HashTest, HasThePublishedValues) {
  EXPECT_EQ(fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(fnv1a64("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171F73967E8u);
}

TEST(HashTest, GoesOnWhereAnotherEnded) {
  EXPECT_EQ(fnv1a64("bar", fnv1a64("foo")), fnv1a64("foobar"));
}

}  // namespace
}  // namespace msprobe::util
