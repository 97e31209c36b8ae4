#include "util/timestamp.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

TEST(TimestampTest, TheNextSecondFollowsTheCalendar) {
  EXPECT_EQ(next_second("20260102030405"), "20260102030406");
  EXPECT_EQ(next_second("20261231235959"), "20270101000000");
  EXPECT_EQ(next_second("20240228235959"), "20240229000000");
  EXPECT_EQ(next_second("20260228235959"), "20260301000000");
}

TEST(TimestampTest, WhatIsNoneHasNoNextSecond) {
  for (const char* text : {"", "2026", "20260102030405 ", "2026010203040x"}) EXPECT_EQ(next_second(text), "") << text;
}

TEST(TimestampTest, IsFourteenDigits) {
  EXPECT_TRUE(is_timestamp(timestamp_now()));
  EXPECT_FALSE(is_timestamp("2026010203040"));
  EXPECT_FALSE(is_timestamp("2026010203040a"));
}

}  // namespace
}  // namespace msprobe::util
