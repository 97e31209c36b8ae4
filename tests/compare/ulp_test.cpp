#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

Figures ulp(double mean, double share) {
  return {{"ULP误差平均值", exact(mean)}, {"ULP误差大于阈值占比", exact(share)}};
}

TEST(UlpTest, HalfPassesByItsShareOrByAShareBelowTheGpus) {
  struct Case {
    double npu, gpu;
    const char *verdict, *message;
  };
  const Case cases[] = {
      {below(0.001), 0, "pass", ""},
      {0.001, 0.001, "error", "ULP误差大于阈值占比 0.001 >= 0.001; ULP误差大于阈值占比 0.001 >= 0.001 (GPU)"},
      {0.001, below(0.001), "error", "ULP误差大于阈值占比 0.001 >= 0.001; ULP误差大于阈值占比 0.001 >= 0.001 (GPU)"},
      {0.001, above(0.001), "pass", ""},
      {0.002, 0.001, "error", "ULP误差大于阈值占比 0.002 >= 0.001; ULP误差大于阈值占比 0.002 >= 0.001 (GPU)"},
      {0.002, 0, "error", "ULP误差大于阈值占比 0.002 >= 0.001; ULP误差大于阈值占比 0.002 >= 0 (GPU)"},
      {0.5, 0.25, "error", "ULP误差大于阈值占比 0.5 >= 0.001; ULP误差大于阈值占比 0.5 >= 0.25 (GPU)"},
      {0.5, 0.625, "pass", ""}};
  for (const char* dtype : {"torch.float16", "torch.bfloat16"})
    for (const Case& c : cases) {
      // The mean does not count for these dtypes.
      const auto row = judge("Torch.matmul", dtype, ulp(1000, c.npu), {{"ULP误差大于阈值占比", exact(c.gpu)}});
      EXPECT_EQ(row.at("ULP误差判定结果"), c.verdict) << dtype << c.npu << " " << c.gpu;
      EXPECT_EQ(row.at("比对结果"), c.verdict) << dtype;
      EXPECT_EQ(row.at("Message"), c.message) << dtype;
      EXPECT_EQ(row.at("比对算法"), "ULP误差比对法");
      EXPECT_EQ(row.at("ULP误差平均值"), "1000.00000000000000");
    }
}

TEST(UlpTest, FloorOfTheRatioIsThatOfTheDtypeAndDoesNotDecide) {
  // bfloat16: the denominator is at least 2^-8 = 0.00390625; float16: 2^-11 = 0.00048828125.
  const auto bfloat = judge("Torch.matmul", "torch.bfloat16", ulp(0, 0.001953125), ulp(0, 0));
  EXPECT_EQ(bfloat.at("ULP误差大于阈值占比比值"), "0.50000000000000");
  EXPECT_EQ(bfloat.at("比对结果"), "error");
  const auto half = judge("Torch.matmul", "torch.float16", ulp(0, 0.001953125), ulp(0, 0));
  EXPECT_EQ(half.at("ULP误差大于阈值占比比值"), "4.00000000000000");
  EXPECT_EQ(half.at("比对结果"), "error");
  const auto larger = judge("Torch.matmul", "torch.bfloat16", ulp(0, 0.5), ulp(0, 0.625));
  EXPECT_EQ(larger.at("ULP误差大于阈值占比比值"), "0.80000000000000");
}

TEST(UlpTest, SinglePassesByMeanShareOrAShareBelowTheGpus) {
  const std::string all =
      "ULP误差平均值 64 >= 64; ULP误差大于阈值占比 0.05 >= 0.05; ULP误差大于阈值占比 0.05 >= 0.05 (GPU)";
  const auto at = judge("Torch.matmul", "torch.float32", ulp(64, 0.05), ulp(1, 0.05));
  EXPECT_EQ(at.at("比对结果"), "error");
  EXPECT_EQ(at.at("Message"), all);
  EXPECT_EQ(judge("Torch.matmul", "torch.float32", ulp(below(64), 0.05), ulp(1, 0.05)).at("比对结果"), "pass");
  EXPECT_EQ(judge("Torch.matmul", "torch.float32", ulp(64, below(0.05)), ulp(1, 0.01)).at("比对结果"), "pass");
  EXPECT_EQ(judge("Torch.matmul", "torch.float32", ulp(64, 0.05), ulp(1, above(0.05))).at("比对结果"), "pass");
  EXPECT_EQ(judge("Torch.matmul", "torch.float32", ulp(above(64), 0.5), ulp(1, 0.25)).at("Message"),
            "ULP误差平均值 64 >= 64; ULP误差大于阈值占比 0.5 >= 0.05; ULP误差大于阈值占比 0.5 >= 0.25 (GPU)");
}

TEST(UlpTest, InfAndNanPassOnlyWhereBothSidesHaveThem) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto same = judge("Torch.matmul", "torch.float16", ulp(1, kNan), ulp(1, kNan));
  EXPECT_EQ(same.at("ULP误差判定结果"), "pass");
  EXPECT_EQ(same.at("ULP误差大于阈值占比比值"), "nan");
  EXPECT_EQ(same.at("Message"), "ULP误差大于阈值占比 nan on both sides");
  const auto share = judge("Torch.matmul", "torch.float32", ulp(1, kNan), ulp(1, 0));
  EXPECT_EQ(share.at("ULP误差判定结果"), "error");
  EXPECT_EQ(share.at("比对结果"), "error");
  EXPECT_EQ(share.at("Message"), "ULP误差大于阈值占比 NPU nan, GPU 0");
  const auto mean = judge("Torch.matmul", "torch.float32", ulp(kInf, 0), ulp(1, 0));
  EXPECT_EQ(mean.at("比对结果"), "error");
  EXPECT_EQ(mean.at("Message"), "ULP误差平均值 NPU inf, GPU 1");
  EXPECT_EQ(judge("Torch.matmul", "torch.float32", ulp(kInf, 1), ulp(kInf, 0)).at("比对结果"), "pass");
  EXPECT_EQ(judge("Torch.matmul", "torch.float16", ulp(kInf, 0), ulp(1, 0)).at("比对结果"), "pass")
      << "the mean does not count";
}

}  // namespace
}  // namespace msprobe::compare::testing
