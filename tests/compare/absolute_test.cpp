#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

TEST(AbsoluteTest, PassesWhenTheThreeRatesOfTheNpuAreZero) {
  const char* const rates[] = {"inf/nan错误率", "相对误差错误率", "绝对误差错误率"};
  const char* const verdicts[] = {"inf/nan判定结果", "相对误差判定结果", "绝对误差判定结果"};
  const Figures zero = {{rates[0], "0"}, {rates[1], "0"}, {rates[2], "0"}};
  for (const char* dtype : {"torch.float16", "torch.bfloat16", "torch.float32"}) {
    const auto row = judge("Torch.mul", dtype, zero, {{rates[0], "1"}, {rates[1], "nan"}});
    EXPECT_EQ(row.at("比对结果"), "pass");
    EXPECT_EQ(row.at("比对算法"), "绝对阈值法");
    EXPECT_EQ(row.at("Message"), "");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(row.at(rates[i]), "0.00000000000000");
      EXPECT_EQ(row.at(verdicts[i]), "pass");
    }
  }
  struct Case {
    std::string rate, message;
  };
  for (const Case& c : {Case{exact(above(0)), "4.94066e-324 > 0"}, Case{"0.25", "0.25 > 0"}, Case{"inf", "inf > 0"},
                        Case{"nan", "nan, limit 0"}, Case{"-0.5", "-0.5, limit 0"}})
    for (int i = 0; i < 3; ++i) {
      Figures npu = zero;
      npu[rates[i]] = c.rate;
      const auto row = judge("Torch.mul", "torch.float32", npu, {});
      EXPECT_EQ(row.at(verdicts[i]), "error") << c.rate;
      EXPECT_EQ(row.at("比对结果"), "error") << c.rate;
      const std::string note =
          c.rate[0] == '-' ? "; NPU is below 0 in " + std::string(rates[i]) + ", which no figure can be" : "";
      EXPECT_EQ(row.at("Message"), std::string(rates[i]) + " " + c.message + note);
    }
}

}  // namespace
}  // namespace msprobe::compare::testing
