#include "compare/fixed.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace msprobe::compare {
namespace {

std::string ours(double value, int precision) {
  std::string text = "|";
  append_fixed(text, value, precision);
  return text.substr(1);
}

/// The C library prints the exact value, rounded half to even.
std::string printed(double value, int precision) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", precision, value);
  return text;
}

TEST(FixedTest, EqualsTheCLibraryAtTheEdges) {
  const double values[] = {0,
                           -0.0,
                           1,
                           10,
                           0.5,
                           1.5,
                           2.5,
                           0.125,
                           0.375,
                           5e-15,
                           1e-14,
                           0.99999999999999994,
                           9.999999999999995,
                           99999.5,
                           184467.44073709551,
                           92233.72036854776,
                           9007199254740992,
                           1e15,
                           1e22,
                           1e300,
                           5e-324,
                           2.2250738585072014e-308,
                           std::numeric_limits<double>::max(),
                           -1,
                           -0.5,
                           -1e-20,
                           1e-40,
                           0x1p-67,
                           0x1p-68,
                           0x1p-120,
                           0x1.8p-15,
                           0x1p-15,
                           0x3p-15,
                           1.0 / 3};
  for (const double value : values)
    for (int precision = 0; precision <= 20; ++precision)
      EXPECT_EQ(ours(value, precision), printed(value, precision)) << value << " with " << precision;
}

TEST(FixedTest, EqualsTheCLibraryForRandomBits) {
  std::mt19937_64 random(20250101);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    const double any = std::bit_cast<double>(bits);
    const double usual = std::ldexp(static_cast<double>(bits >> 11), -53 - static_cast<int>(random() % 70) + 20);
    const int precision = static_cast<int>(random() % 21);
    if (std::isfinite(any)) {
      ASSERT_EQ(ours(any, precision), printed(any, precision));
    }
    ASSERT_EQ(ours(usual, precision), printed(usual, precision));
  }
}

TEST(FixedTest, EqualsTheCLibraryForTies) {
  // k / 2^15 with fewer digits than it has: some are exactly half way.
  for (int k = 0; k < 1 << 15; k += 7)
    for (int precision : {0, 1, 5, 10, 14})
      ASSERT_EQ(ours(std::ldexp(k, -15), precision), printed(std::ldexp(k, -15), precision));
}

TEST(FixedTest, SpecialValuesAreWords) {
  EXPECT_EQ(ours(std::numeric_limits<double>::infinity(), 14), "inf");
  EXPECT_EQ(ours(-std::numeric_limits<double>::infinity(), 14), "-inf");
  EXPECT_EQ(ours(std::numeric_limits<double>::quiet_NaN(), 14), "nan");
  EXPECT_EQ(ours(-std::numeric_limits<double>::quiet_NaN(), 14), "nan");
}

}  // namespace
}  // namespace msprobe::compare
