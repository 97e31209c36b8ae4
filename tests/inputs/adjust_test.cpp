#include "inputs/adjust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace msprobe::inputs {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(MoveToSumTest, EachMovesInProportionToItsRoomAndTheEndsStay) {
  std::vector<int64_t> values{0, 2, 6, 10};
  ASSERT_TRUE(move_to_sum(values, 0, 10, 24));  // 6 more; rooms 8 and 4
  EXPECT_THAT(values, ElementsAre(0, 6, 8, 10));
  ASSERT_TRUE(move_to_sum(values, 0, 10, 17));  // 7 less; rooms 6 and 8
  EXPECT_THAT(values, ElementsAre(0, 3, 4, 10));
}

TEST(MoveToSumTest, TheEndsMoveWhereNothingElseHelps) {
  std::vector<int64_t> values{0, 5, 10};
  ASSERT_TRUE(move_to_sum(values, 0, 10, 28));
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), 28);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 10);
}

TEST(MoveToSumTest, WhatTheRangeDoesNotReachIsRefusedAndChangesNothing) {
  std::vector<int64_t> values{0, 5, 10};
  EXPECT_FALSE(move_to_sum(values, 0, 10, 31));
  EXPECT_FALSE(move_to_sum(values, 0, 10, -1));
  EXPECT_THAT(values, ElementsAre(0, 5, 10));
}

TEST(MoveToSumTest, ReachesEverySumOfARange) {
  for (int64_t sum = 7; sum <= 35; ++sum) {
    std::vector<int64_t> values{1, 4, 2, 2, 5, 3, 5};
    ASSERT_TRUE(move_to_sum(values, 1, 5, sum)) << sum;
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), sum);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 1);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 5);
  }
}

TEST(MoveToSumTest, NumbersFromEndToEndOfInt64DoNotOverflow) {
  std::vector<int64_t> most{kMost, kMost, kMost};
  EXPECT_FALSE(move_to_sum(most, kMost - 1, kMost, 5));
  ASSERT_TRUE(move_to_sum(most, 0, kMost, kMost));
  EXPECT_EQ(std::accumulate(most.begin(), most.end(), int64_t{0}), kMost);
  std::vector<int64_t> least{-kMost - 1, -kMost - 1};
  EXPECT_FALSE(move_to_sum(least, -kMost - 1, kMost, kMost));  // 3 * 2^63 away
  ASSERT_TRUE(move_to_sum(least, -kMost - 1, kMost, -1));
  EXPECT_EQ(least[0] + least[1], -1);
  EXPECT_THAT(least, Each(AllOf(Ge(-1), Le(0))));
}

TEST(ChooseTest, TakesTheLargestWords) {
  const Words words(1234, "Torch.x.0", "input.0");
  constexpr int64_t kElements = 5000;
  for (const int64_t count : {0, 1, 77, 2500, 4999, 5000}) {
    const std::vector<bool> chosen = choose(words, kElements, count);
    uint64_t least_in = std::numeric_limits<uint64_t>::max(), most_out = 0;
    int64_t in = 0;
    for (int64_t i = 0; i < kElements; ++i) {
      const uint64_t word = words(static_cast<uint64_t>(i));
      if (chosen[static_cast<size_t>(i)])
        ++in, least_in = std::min(least_in, word);
      else
        most_out = std::max(most_out, word);
    }
    EXPECT_EQ(in, count);
    EXPECT_TRUE(count == 0 || count == kElements || least_in > most_out);
  }
}

TEST(ChooseTest, TheEndsAreMetWhereCountAllows) {
  const Words words(1234, "Torch.x.0", "input.0");
  for (int64_t count = 1; count < 9; ++count) {
    const std::vector<bool> chosen = choose(words, 9, count, 0, 1);
    EXPECT_FALSE(chosen.front());
    EXPECT_TRUE(chosen.back());
    EXPECT_EQ(std::count(chosen.begin(), chosen.end(), true), count);
  }
  const std::vector<bool> all = choose(words, 9, 9, 0, 1), nothing = choose(words, 9, 0, 0, 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), true), 9);
  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), true), 0);
}

TEST(DistinctTest, NumbersDifferAndStayInTheirRange) {
  const Words words(1234, "Torch.x.0", "input.0");
  struct Row {
    int64_t n, low, high;
  };
  for (const Row& row : {Row{1, 5, 5}, Row{64, 0, 63}, Row{50, 3, 63}, Row{64, -1000000, 1000000}, Row{9, 0, kMost}}) {
    const auto numbers = distinct_numbers(words, 0, row.n, row.low, row.high);
    EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()).size(), static_cast<size_t>(row.n));
    EXPECT_EQ(numbers.size(), static_cast<size_t>(row.n));
    EXPECT_GE(*std::min_element(numbers.begin(), numbers.end()), row.low);
    EXPECT_LE(*std::max_element(numbers.begin(), numbers.end()), row.high);
  }
  // Where both ways of drawing may meet, other words give other numbers.
  EXPECT_NE(distinct_numbers(words, 0, 20, 0, 63), distinct_numbers(words, 20, 20, 0, 63));
}

}  // namespace
}  // namespace msprobe::inputs
