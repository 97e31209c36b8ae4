// Every algorithm at its limits, computed by hand: exactly at the limit, and one step of a double beyond it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare/columns.h"
#include "support.h"

namespace msprobe::compare::testing {
namespace {

using Figures = std::map<std::string, std::string>;
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string exact(double value) {
  return fmt::format("{:.17g}", value);
}
double above(double value) {
  return std::nextafter(value, kInf);
}
double below(double value) {
  return std::nextafter(value, -kInf);
}

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

/// The details of one output.
std::map<std::string, std::string> judge(const std::string& api, const std::string& dtype, const Figures& npu,
                                         const Figures& gpu) {
  const std::string name = api + ".0.forward.output.0";
  const Outcome outcome = compare_rows({{name, dtype, npu}}, {{name, dtype, gpu}});
  EXPECT_EQ(outcome.details.size(), 1u);
  return outcome.details.at(0);
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

TEST(BinaryTest, PassesWhenTheRateOfTheNpuIsZero) {
  struct Case {
    std::string rate, verdict, message;
  };
  for (const Case& c :
       {Case{"0", "pass", ""}, Case{"-0.0", "pass", ""},
        Case{exact(above(0)), "error", "二进制一致错误率 4.94066e-324 > 0"},
        Case{"1", "error", "二进制一致错误率 1 > 0"}, Case{"nan", "error", "二进制一致错误率 nan, limit 0"}})
    for (const auto& [api, dtype] :
         {std::pair("Torch.relu", "torch.float32"), std::pair("Torch.softmax", "torch.int64"),
          std::pair("Torch.mul", "<class 'float'>"), std::pair("Torch.mul", "torch.bool")}) {
      const auto row = judge(api, dtype, {{"二进制一致错误率", c.rate}}, {});
      EXPECT_EQ(row.at("二进制一致错误率判定结果"), c.verdict) << c.rate << dtype;
      EXPECT_EQ(row.at("比对结果"), c.verdict) << c.rate << dtype;
      EXPECT_EQ(row.at("比对算法"), "二进制一致法");
      EXPECT_EQ(row.at("Message"), c.message);
    }
}

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

TEST(ThousandthTest, PassesAboveItsLimit) {
  for (const char* api : {"Functional.conv1d", "Functional.conv2d"})
    for (const char* dtype : {"torch.float16", "torch.bfloat16", "torch.float32"}) {
      const auto at = judge(api, dtype, {{"双千指标", "0.999"}}, {});
      EXPECT_EQ(at.at("双千指标"), "0.99900000000000");
      EXPECT_EQ(at.at("双千指标判定结果"), "error");
      EXPECT_EQ(at.at("比对结果"), "error");
      EXPECT_EQ(at.at("比对算法"), "双千指标法");
      EXPECT_EQ(at.at("Message"), "双千指标 0.999 <= 0.999");
      const auto over = judge(api, dtype, {{"双千指标", exact(above(0.999))}}, {{"双千指标", "0"}});
      EXPECT_EQ(over.at("比对结果"), "pass");
      EXPECT_EQ(over.at("Message"), "");
      EXPECT_EQ(judge(api, dtype, {{"双千指标", "nan"}}, {}).at("Message"), "双千指标 nan, limit 0.999");
    }
}

TEST(AccumulativeTest, JudgesErrorRatesAndBalanceOfListedApis) {
  Folder folder;
  std::string standards = content(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  const std::string none = "累积误差比对法: []";
  ASSERT_NE(standards.find(none), std::string::npos);
  standards.replace(standards.find(none), none.size(), "累积误差比对法: [cumsum]");
  write(folder / "standards.yaml", standards);
  struct Case {
    const char* dtype;
    double balance;
    const char *rate, *verdict, *message;
  };
  const Case cases[] = {
      {"torch.float16", 0x1p-20, "0", "pass", ""},
      {"torch.float16", above(0x1p-20), "0", "error", "误差均衡性 9.536743164062502e-07 > 9.53674e-07"},
      {"torch.bfloat16", 0x1p-7, "0", "pass", ""},
      {"torch.bfloat16", above(0x1p-7), "0", "error", "误差均衡性 0.007812500000000002 > 0.0078125"},
      {"torch.float32", 0x1p-14, "0", "pass", ""},
      {"torch.float32", 0.5, "0", "error", "误差均衡性 0.5 > 6.10352e-05"},
      {"torch.float32", 0, "0.25", "error", "相对误差错误率 0.25 > 0"},
  };
  for (const Case& c : cases) {
    const InputRow row{"Torch.cumsum.0.forward.output.0",
                       c.dtype,
                       {{"inf/nan错误率", "0"},
                        {"相对误差错误率", c.rate},
                        {"绝对误差错误率", "0"},
                        {"误差均衡性", exact(c.balance)}}};
    write(folder / "npu.csv", details_text({row}));
    CompareOptions o = options(folder / "npu.csv", folder / "npu.csv", folder / "out");
    o.settings.precision_standard = (folder / "standards.yaml").string();
    o.settings.precision = 3;
    const CompareReport report = run(o);
    const Cells cells = rows_of(report.details_path).at(0);
    EXPECT_EQ(cells[static_cast<size_t>(Column::kResult)], c.verdict) << c.dtype << c.balance;
    EXPECT_EQ(cells[static_cast<size_t>(Column::kAlgorithm)], "累积误差比对法");
    EXPECT_EQ(cells[static_cast<size_t>(Column::kMessage)], c.message);
  }
}

}  // namespace
}  // namespace msprobe::compare::testing
