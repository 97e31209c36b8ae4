#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

const char* const kBenchmarkFigures[] = {"小值域错误占比", "均方根误差", "相对误差最大值", "相对误差平均值",
                                         "误差均衡性"};
const char* const kBenchmarkRatios[] = {"小值域错误比值", "均方根误差比值", "相对误差最大值比值", "相对误差平均值比值",
                                        "误差均衡性比值"};
const char* const kBenchmarkVerdicts[] = {"小值域错误判定结果", "均方根误差判定结果", "相对误差最大值判定结果",
                                          "相对误差平均值判定结果", "误差均衡性判定结果"};

Figures benchmark_figures(double value) {
  Figures figures;
  for (const char* name : kBenchmarkFigures) figures[name] = exact(value);
  return figures;
}

struct Level {
  const char* api;
  const char* label;
  double limits[5];
};
const Level kLevels[] = {{"Functional.softmax", "L0", {2, 2, 10, 2, 2}},
                         {"Functional.embedding", "L1", {2, 1.5, 5, 1.5, 2}},
                         {"Functional.layer_norm", "L2", {2, 1.2, 2, 1.2, 2}}};

TEST(BenchmarkTest, PassesAtTheLimitOfEachLevel) {
  for (const Level& level : kLevels)
    for (int i = 0; i < 5; ++i) {
      Figures npu = benchmark_figures(1);
      npu[kBenchmarkFigures[i]] = exact(level.limits[i]);
      const auto row = judge(level.api, "torch.float32", npu, benchmark_figures(1));
      EXPECT_EQ(row.at(kBenchmarkRatios[i]), fmt::format("{:.14f}", level.limits[i])) << level.label;
      EXPECT_EQ(row.at(kBenchmarkVerdicts[i]), "pass") << level.label;
      EXPECT_EQ(row.at("比对结果"), "pass");
      EXPECT_EQ(row.at("比对算法"), "标杆比对法");
      EXPECT_EQ(row.at("Message"), "");
    }
}

TEST(BenchmarkTest, FailsOneStepAboveTheLimitOfEachLevelAndSaysSo) {
  for (const Level& level : kLevels)
    for (int i = 0; i < 5; ++i) {
      const double value = above(level.limits[i]);
      Figures npu = benchmark_figures(1);
      npu[kBenchmarkFigures[i]] = exact(value);
      const auto row = judge(level.api, "torch.float32", npu, benchmark_figures(1));
      EXPECT_EQ(row.at(kBenchmarkVerdicts[i]), "error") << level.label;
      const bool counted = i != 4, by_level = i != 0 && i != 4;
      EXPECT_EQ(row.at("比对结果"), counted ? "error" : "pass") << kBenchmarkRatios[i];
      EXPECT_EQ(row.at("Message"),
                fmt::format("{} {} > {}{}{}", kBenchmarkRatios[i], value, level.limits[i],
                            by_level ? fmt::format(" ({})", level.label) : "", counted ? "" : ", not counted"));
    }
}

TEST(BenchmarkTest, DenominatorIsAtLeastTheFloorOfTheDtype) {
  for (const auto& [dtype, floor] :
       {std::pair("torch.float16", 0x1p-11), std::pair("torch.bfloat16", 0x1p-8), std::pair("torch.float32", 0x1p-14)})
    for (const double gpu : {0.0, floor / 2, -floor / 4, floor}) {
      const auto at = judge("Functional.softmax", dtype, benchmark_figures(2 * floor), benchmark_figures(gpu));
      EXPECT_EQ(at.at("均方根误差比值"), "2.00000000000000") << dtype << gpu;
      EXPECT_EQ(at.at("比对结果"), "pass") << dtype << gpu;
      const auto over = judge("Functional.softmax", dtype, benchmark_figures(above(2 * floor)), benchmark_figures(gpu));
      EXPECT_EQ(over.at("均方根误差判定结果"), "error") << dtype << gpu;
      EXPECT_EQ(over.at("相对误差最大值判定结果"), "pass") << dtype << gpu;
      const auto larger =
          judge("Functional.softmax", dtype, benchmark_figures(2 * floor), benchmark_figures(2 * floor));
      EXPECT_EQ(larger.at("均方根误差比值"), "1.00000000000000") << dtype << gpu;
    }
}

TEST(BenchmarkTest, SignsDoNotCount) {
  const auto row = judge("Functional.softmax", "torch.float32", benchmark_figures(-3), benchmark_figures(-1));
  EXPECT_EQ(row.at("均方根误差比值"), "3.00000000000000");
  EXPECT_EQ(row.at("比对结果"), "error");
  EXPECT_EQ(row.at("Message"),
            "小值域错误比值 3 > 2; 均方根误差比值 3 > 2 (L0); 相对误差平均值比值 3 > 2 (L0); 误差均衡性比值 3 > 2, not "
            "counted; NPU is below 0 in 小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值; GPU is below 0 in "
            "小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值, which no figure can be");
}

TEST(BenchmarkTest, ANegativeFigureThatPassesIsNamedToo) {
  Figures npu = benchmark_figures(1);
  npu["相对误差最大值"] = "-1";
  npu["误差均衡性"] = "-1";  // written with its sign by older versions, and not counted
  const auto row = judge("Functional.softmax", "torch.float32", npu, benchmark_figures(1));
  EXPECT_EQ(row.at("比对结果"), "pass");
  EXPECT_EQ(row.at("Message"), "NPU is below 0 in 相对误差最大值, which no figure can be");
}

TEST(BenchmarkTest, InfAndNanPassOnlyWhereBothSidesHaveThem) {
  struct Case {
    const char *npu, *gpu;
    bool passes;
    const char* message;
  };
  const Case cases[] = {{"inf", "inf", true, "inf on both sides"}, {"-inf", "-inf", true, "-inf on both sides"},
                        {"nan", "nan", true, "nan on both sides"}, {"inf", "-inf", false, "NPU inf, GPU -inf"},
                        {"nan", "1", false, "NPU nan, GPU 1"},     {"1", "nan", false, "NPU 1, GPU nan"},
                        {"inf", "0.5", false, "NPU inf, GPU 0.5"}, {"0", "inf", false, "NPU 0, GPU inf"},
                        {"nan", "inf", false, "NPU nan, GPU inf"}, {"-inf", "nan", false, "NPU -inf, GPU nan"}};
  for (const Case& c : cases)
    for (int i = 0; i < 5; ++i) {
      Figures npu = benchmark_figures(1), gpu = benchmark_figures(1);
      npu[kBenchmarkFigures[i]] = c.npu;
      gpu[kBenchmarkFigures[i]] = c.gpu;
      const auto row = judge("Functional.softmax", "torch.float16", npu, gpu);
      EXPECT_EQ(row.at(kBenchmarkRatios[i]), "nan");
      EXPECT_EQ(row.at(kBenchmarkVerdicts[i]), c.passes ? "pass" : "error") << c.npu << c.gpu;
      EXPECT_EQ(row.at("比对结果"), c.passes || i == 4 ? "pass" : "error") << c.npu << c.gpu;
      EXPECT_EQ(row.at("Message"),
                fmt::format("{} {}{}", kBenchmarkFigures[i], c.message, c.passes || i != 4 ? "" : ", not counted"));
    }
}

TEST(BenchmarkTest, BalanceMayBeBlankBecauseItIsNotCounted) {
  Figures npu = benchmark_figures(1);
  npu["误差均衡性"] = " ";
  const auto row = judge("Functional.softmax", "torch.float32", npu, benchmark_figures(1));
  EXPECT_EQ(row.at("误差均衡性比值"), "");
  EXPECT_EQ(row.at("误差均衡性判定结果"), "");
  EXPECT_EQ(row.at("比对结果"), "pass");
}

}  // namespace
}  // namespace msprobe::compare::testing
