#include "diff/moved.h"

#include <gtest/gtest.h>

#include "diff/support.h"
#include "support/error_of.h"

namespace msprobe::diff {
namespace {

using outcome::Figure;

/// What is told of one figure that was `before` and is `after`; "" where it did not move.
std::string told(Figure figure, std::string_view before, std::string_view after, std::string_view dtype) {
  const Options o = testing::options("", "");
  const Movement movement(o.limits, o.standards, o.limits_path);
  report::Figures a, b;
  a.set(figure, report::read_figure(before));
  b.set(figure, report::read_figure(after));
  std::array<bool, outcome::kFigureCount> all;
  all.fill(true);
  const auto moved = movement.between(a, b, all, dtype);
  return moved.empty() ? "" : moved[0].text() + (moved[0].worse ? ", worse" : "");
}

struct Case {
  const char* rule;
  Figure figure;
  const char *before, *after, *dtype, *told;
};

// Times by hand: larger distance by smaller one, each raised to its floor (config/diff.yaml).
TEST(MovementTest, ComparesDistancesAboveAFloor) {
  const Case cases[] = {
      {"more than 2 times", Figure::kMaxAbs, "0.001", "0.004", "torch.float32",
       "最大绝对误差 0.001 -> 0.004 (4 times), worse"},
      {"the other way round", Figure::kMaxAbs, "0.004", "0.001", "torch.float32",
       "最大绝对误差 0.004 -> 0.001 (4 times)"},
      {"2 times is not more than 2 times", Figure::kMaxAbs, "0.25", "0.5", "torch.float32", ""},
      {"noise of a figure near 0", Figure::kMaxAbs, "1e-12", "3e-12", "torch.float32", ""},
      {"0 counts as the floor, 2^-30", Figure::kMaxAbs, "0", "1e-9", "torch.float32", ""},
      {"0 counts as the floor, 2^-30", Figure::kMaxAbs, "0", "0.0000037252902984619140625", "torch.float32",
       "最大绝对误差 0 -> 3.72529e-06 (4e+03 times), worse"},  // 4000 * 2^-30
      {"the floor of float16 is 2^-16", Figure::kRmse, "0.000001", "0.00003", "torch.float16", ""},
      {"nearness to 1", Figure::kThousandth, "0.998", "0.99", "torch.float32",
       "双千指标 0.998 -> 0.99 (5 times), worse"},
      {"nearness to 1, both beyond the limit", Figure::kThousandth, "1", "0.9995", "torch.float32", ""},
      {"cosine", Figure::kCosine, "0.9999999", "0.9", "torch.float32", "余弦相似度 1 -> 0.9 (1e+04 times), worse"},
      {"32 ULP are as good as 1 for float32", Figure::kMaxUlp, "1", "32", "torch.float32", ""},
      {"but not for float16", Figure::kMaxUlp, "1", "32", "torch.float16", "ULP误差最大值 1 -> 32 (32 times), worse"},
      {"one nan among a million", Figure::kInfNanErrorRate, "0", "0.000001", "torch.float32",
       "inf/nan错误率 0 -> 1e-06, worse"},
      {"inf appears", Figure::kMaxAbs, "0.001", "inf", "torch.float32", "最大绝对误差 0.001 -> inf, worse"},
      {"nan goes", Figure::kCosine, "nan", "1", "torch.float32", "余弦相似度 nan -> 1"},
      {"nan as before", Figure::kCosine, "nan", "nan", "torch.float32", ""},
      {"inf as before", Figure::kMaxAbs, "inf", "inf", "torch.float32", ""},
      {"inf became nan", Figure::kMaxAbs, "inf", "nan", "torch.float32", "最大绝对误差 inf -> nan"},
      {"blank as before", Figure::kMaxUlp, " ", "", "torch.float32", ""},
      {"a figure appears", Figure::kMaxUlp, " ", "3", "torch.float32", "ULP误差最大值 none -> 3"},
      {"a figure goes", Figure::kMaxUlp, "3", " ", "torch.float32", "ULP误差最大值 3 -> none"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.figure, c.before, c.after, c.dtype), c.told) << c.rule;
}

TEST(MovementTest, EveryFigureHasAFloorAndEveryFloorAFigure) {
  const Options o = testing::options("", "");
  config::DiffLimits lacking = o.limits, odd = o.limits;
  lacking.floors.erase("均方根误差");
  odd.floors["耗时"] = {};
  EXPECT_EQ(support::error_of([&] { Movement(lacking, o.standards, "diff.yaml"); }),
            "diff.yaml: floors: 均方根误差 is missing; give it a number");
  EXPECT_EQ(support::error_of([&] { Movement(odd, o.standards, "diff.yaml"); }),
            "diff.yaml: floors: 耗时 is no figure; take it out");
}

}  // namespace
}  // namespace msprobe::diff
