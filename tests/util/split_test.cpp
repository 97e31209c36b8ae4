#include "util/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SplitTest, CommasInBracketsAndQuotesPartNothing) {
  EXPECT_THAT(split_list(" input, p=0.5 ,*,size=[1, (2, 3)], mode='a,b', text=\"c]\""),
              ElementsAre("input", "p=0.5", "*", "size=[1, (2, 3)]", "mode='a,b'", "text=\"c]\""));
}

TEST(SplitTest, AnEmptyLastPartIsNone) {
  EXPECT_THAT(split_list(""), IsEmpty());
  EXPECT_THAT(split_list("a,"), ElementsAre("a"));
  EXPECT_THAT(split_list("a,,b"), ElementsAre("a", "", "b"));
}

TEST(SplitTest, BlanksAroundAreNoPart) {
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("  "), "");
}

}  // namespace
}  // namespace msprobe::util
