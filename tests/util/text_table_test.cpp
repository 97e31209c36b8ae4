#include "util/text_table.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

TEST(TextTableTest, AlignsByDisplayWidth) {
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft});
  table.add({"name", "value", "limit"});
  table.add({"余弦相似度", "0.5", "0.99"});
  table.add({"x", "10.25", ""});
  EXPECT_EQ(table.render("  "),
            "  name        value  limit\n"
            "  余弦相似度    0.5  0.99\n"
            "  x           10.25\n");
}

TEST(TextTableTest, ColourTakesNoColumns) {
  TextTable table({Align::kLeft, Align::kRight});
  table.add({"a", "1"}, "\x1b[31m", "\x1b[0m");
  table.add({"bbb", "22"});
  EXPECT_EQ(table.render(), "\x1b[31ma\x1b[0m     \x1b[31m1\x1b[0m\nbbb  22\n");
}

TEST(TextTableTest, ShortRowsAreFilledUp) {
  TextTable table({Align::kRight, Align::kRight});
  EXPECT_TRUE(table.empty());
  table.add({"1"});
  table.add({"", "2"});
  EXPECT_EQ(table.render(), "1\n   2\n");
}

}  // namespace
}  // namespace msprobe::util
