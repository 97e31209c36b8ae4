#include <gtest/gtest.h>

#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

InputRow row(const std::string& name, const std::string& dtype, const std::string& rmse) {
  return {name,
          dtype,
          {{"小值域错误占比", "0"},
           {"均方根误差", rmse},
           {"相对误差最大值", "1"},
           {"相对误差平均值", "1"},
           {"误差均衡性", "0"}}};
}

CompareReport without_paths(CompareReport report) {
  report.result_path = "out/result.csv";
  report.details_path = "out/details.csv";
  report.npu_csv = "npu.csv";
  return report;
}

TEST(SummaryTest, CountsThenFailuresWithFigureBesideLimitThenPaths) {
  for (const config::Profile profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
    const CompareReport report =
        compare_rows(
            {row("Torch.exp.0.forward.output.0", "torch.float32", "1"),
             row("Torch.exp.1.forward.output.0", "torch.float16", "12.4"),
             row("Torch.exp.1.backward.output.0", "torch.float16", "5"), row("Torch.exp.2.forward.output.0", " ", "1"),
             row("Torch.exp.3.forward.output.0", "torch.float32", "1")},
            {row("Torch.exp.0.forward.output.0", "torch.float32", "1"),
             row("Torch.exp.1.forward.output.0", "torch.float16", "1"),
             row("Torch.exp.1.backward.output.0", "torch.float16", "1"), row("Torch.exp.2.forward.output.0", " ", "1"),
             row("Torch.exp.9.forward.output.0", " ", "1")},
            profile)
            .report;
    EXPECT_EQ(summary(without_paths(report), false, false, 120),
              "          pass  warning  error  SKIP  none\n"
              "forward      1        0      1     2     0\n"
              "backward     0        0      1     0     3\n"
              "outputs      1        0      2     2     0\n"
              "\nFailing APIs\n"
              "  Torch.exp.1.forward.output.0  torch.float16  均方根误差比值 12.4 > 2 (L0) (and 1 more output)\n"
              "\nOutputs skipped because\n"
              "  1  no row in the GPU's file\n"
              "  1  nothing to judge on the NPU\n"
              "\n1 output stands in the GPU's file alone and was left out.\n"
              "\nResults  out/result.csv\nDetails  out/details.csv\n");
    EXPECT_EQ(summary(without_paths(report), true, false, 120),
              "          pass  warning  error  SKIP  none\n"
              "forward      1        0      1     2     0\n"
              "backward     0        0      1     0     3\n"
              "outputs      1        0      2     2     0\n"
              "\nResults  out/result.csv\nDetails  out/details.csv\n");
  }
}

TEST(SummaryTest, NamesTenFailingApisAndCountsTheOthers) {
  std::vector<InputRow> npu, gpu;
  for (int i = 0; i < 13; ++i) {
    const std::string name = "Torch.exp." + std::to_string(i) + ".forward.output.0";
    npu.push_back(row(name, "torch.float32", "3"));
    gpu.push_back(row(name, "torch.float32", "1"));
  }
  const std::string text = summary(compare_rows(npu, gpu).report, false, false, 120);
  EXPECT_NE(text.find("Torch.exp.9.forward"), std::string::npos);
  EXPECT_EQ(text.find("Torch.exp.10.forward"), std::string::npos);
  EXPECT_NE(text.find("  ... and 3 more in the results\n"), std::string::npos);
}

TEST(SummaryTest, SaysLoudlyThatNothingWasJudged) {
  const auto rows = std::vector<InputRow>{row("Torch.exp.0.forward.output.0", " ", "1")};
  EXPECT_NE(summary(compare_rows(rows, rows).report, true, false, 80)
                .find("\nNothing was judged: the only API was skipped.\n"),
            std::string::npos);
  EXPECT_NE(summary(without_paths(compare_rows({}, rows).report), true, false, 80)
                .find("\nNothing was judged: npu.csv holds no rows.\n"),
            std::string::npos);
}

TEST(SummaryTest, FailuresAreRedWhereColourIsWanted) {
  const CompareReport report = compare_rows({row("Torch.exp.0.forward.output.0", "torch.float32", "3")},
                                            {row("Torch.exp.0.forward.output.0", "torch.float32", "1")})
                                   .report;
  EXPECT_NE(summary(report, false, true, 80).find("\x1b[31mTorch.exp.0.forward.output.0"), std::string::npos);
  EXPECT_EQ(summary(report, false, false, 80).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace msprobe::compare::testing
