#include "util/text.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

TEST(TextTest, QuotedFitsOnOneLine) {
  EXPECT_EQ(quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("\n\r\t\x01\x7f\xff\xc3("), R"("\n\r\t\x01\x7f\xff\xc3(")");
  EXPECT_EQ(quoted("\u4e2d"), "\"\u4e2d\"");
  EXPECT_EQ(quoted("abcdef", 3), "\"abc...\"");
}

TEST(TextTest, PlacesCountFromOne) {
  EXPECT_EQ(line_and_column("", 0), "line 1, column 1");
  EXPECT_EQ(line_and_column("ab\ncd\n", 4), "line 2, column 2");
  EXPECT_EQ(line_and_column("ab\ncd\n", 6), "line 3, column 1");
  EXPECT_EQ(line_and_column("ab", 99), "line 1, column 3");
}

}  // namespace
}  // namespace msprobe::util
