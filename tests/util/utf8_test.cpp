#include "util/utf8.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

TEST(Utf8Test, KnowsWellFormedText) {
  for (const char* good : {"", "abc", "余弦相似度", "é", "😀", "\xEF\xBB\xBF mark", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xE4\xBD", "a\xFF", "\xF0\x9F\x98"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(Utf8Test, RepairReplacesOnlyWhatIsBroken) {
  EXPECT_EQ(repair_utf8("余\xE5弦"), "余\xEF\xBF\xBD弦");
  EXPECT_EQ(repair_utf8("\xFFok\xC3"), "\xEF\xBF\xBDok\xEF\xBF\xBD");
  EXPECT_EQ(repair_utf8("plain"), "plain");
}

struct Width {
  const char* text;
  size_t columns;
};

// Widths as Python's wcwidth gives them.
TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  for (const Width& row :
       {Width{"", 0}, Width{"abc", 3}, Width{"余弦相似度", 10}, Width{"ULP误差最大值", 13}, Width{"inf/nan错误率", 13},
        Width{"é", 1}, Width{"e\u0301", 1}, Width{"（）", 4}, Width{"＝", 2}, Width{"…", 1}, Width{"😀", 2},
        Width{"한글", 4}, Width{"カナ", 4}, Width{"ｶﾅ", 2}, Width{"\u200b", 0}, Width{"≤", 1}})
    EXPECT_EQ(display_width(row.text), row.columns) << row.text;
}

TEST(FitWidthTest, CutsAtCharactersAndSaysSo) {
  EXPECT_EQ(fit_width("abcdef", 6), "abcdef");
  EXPECT_EQ(fit_width("abcdefg", 6), "abcde…");
  EXPECT_EQ(fit_width("余弦相似度", 6), "余弦…");  // 2 + 2 + 1: a third would take 7
  EXPECT_EQ(fit_width("余弦相似度", 7), "余弦相…");
  EXPECT_EQ(fit_width("abc", 0), "");
  EXPECT_EQ(fit_width("abc", 1), "…");
}

TEST(FitWidthTest, MiddleKeepsBothEnds) {
  EXPECT_EQ(fit_width_middle("Torch.mul.12.forward.output.0", 40), "Torch.mul.12.forward.output.0");
  EXPECT_EQ(fit_width_middle("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(fit_width_middle("abcdefghij", 8), "abc…ghij");
  EXPECT_EQ(fit_width_middle("余弦相似度余弦相似度", 8), "余…似度");  // never wider than asked for
  for (size_t width = 0; width < 24; ++width)
    EXPECT_LE(display_width(fit_width_middle("余a弦b相c似d度e余f弦", width)), width);
}

}  // namespace
}  // namespace msprobe::util
