#include "util/message.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "util/error.h"
#include "util/one_line.h"
#include "util/text_table.h"

namespace msprobe::util {
namespace {

using namespace std::string_literals;

TEST(OneLineTest, WhatMovesACursorIsWrittenOut) {
  EXPECT_EQ(one_line("Torch.mul.0 乘"), "Torch.mul.0 乘");
  EXPECT_EQ(one_line("a\x1b[2Jb\0c\x7f"s), "a\\x1b[2Jb\\x00c\\x7f");
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(one_line("\u009b31m\u0080\u00a0"), "\\u009b31m\\u0080\u00a0");  // the 8-bit CSI of some terminals
  EXPECT_EQ(one_line("a\xffz"), "a\uFFFDz");
}

TEST(MessageTest, AnErrorIsTextToItsEnd) {
  EXPECT_EQ(message_of(Error("d.json", "found \"a\0b\""s, "say it again")), "d.json: found \"a\\x00b\"; say it again");
  EXPECT_EQ(message_of(Error("", "a\nb")), "a\\nb");
  EXPECT_EQ(message_of(std::runtime_error("a\x1b")), "a\\x1b");
}

TEST(TextTableTest, CellsAreLines) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.add({"a\x1b[2J\nb", "c"}, "\x1b[31m", "\x1b[0m");
  EXPECT_EQ(table.render(), "\x1b[31ma\\x1b[2J\\nb\x1b[0m  \x1b[31mc\x1b[0m\n");
}

}  // namespace
}  // namespace msprobe::util
