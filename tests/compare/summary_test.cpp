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
    const bool documented = profile == config::Profile::kDocumented;
    const std::string line = documented ? "not passed 2: 2 suspect\n" : "", word = documented ? "suspect  " : "";
    EXPECT_EQ(summary(without_paths(report), false, false, 120),
              "          pass  warning  error  SKIP  none\n"
              "forward      1        0      1     2     0\n"
              "backward     0        0      1     0     3\n"
              "outputs      1        0      2     2     0\n" +
                  line +
                  "\nFailing APIs\n"
                  "  Torch.exp.1.forward.output.0  torch.float16  " +
                  word +
                  "均方根误差比值 12.4 > 2 (L0) (and 1 more output)\n"
                  "\nOutputs skipped because\n"
                  "  1  no row in the GPU's file\n"
                  "  1  nothing to judge on the NPU\n"
                  "\n1 output stands in the GPU's file alone and was left out.\n"
                  "\nResults  out/result.csv\nDetails  out/details.csv\n");
    EXPECT_EQ(summary(without_paths(report), true, false, 120),
              "          pass  warning  error  SKIP  none\n"
              "forward      1        0      1     2     0\n"
              "backward     0        0      1     0     3\n"
              "outputs      1        0      2     2     0\n" +
                  line + "\nResults  out/result.csv\nDetails  out/details.csv\n");
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

TEST(SummaryTest, SuspectsStandBeforeWhatIsExplained) {
  // 绝对阈值法: the GPU has the same rate for the first twelve, and a lower one for the last.
  std::vector<InputRow> npu, gpu;
  for (int i = 0; i < 13; ++i) {
    const std::string name = "Torch.mul." + std::to_string(i) + ".forward.output.0";
    const auto rates = [](const char* rate) {
      return std::map<std::string, std::string>{
          {"inf/nan错误率", "0"}, {"相对误差错误率", rate}, {"绝对误差错误率", "0"}};
    };
    npu.push_back({name, "torch.float32", rates("0.25")});
    gpu.push_back({name, "torch.float32", rates(i < 12 ? "0.25" : "0")});
  }
  // An API is a suspect by its second output, too; its first one is not named then.
  npu.push_back({"Torch.mul.2.forward.output.1", "torch.float32", npu[12].cells});
  gpu.push_back({"Torch.mul.2.forward.output.1", "torch.float32", gpu[12].cells});
  const std::string text = summary(without_paths(compare_rows(npu, gpu).report), false, false, 120);
  EXPECT_NE(text.find("\nnot passed 14: 12 as the GPU, 2 suspect\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Failing APIs\n"
                      "  Torch.mul.2.forward.output.1   torch.float32  suspect     相对误差错误率 0.25 > 0 (and 1 more "
                      "output)\n"
                      "  Torch.mul.12.forward.output.0  torch.float32  suspect     相对误差错误率 0.25 > 0\n"
                      "  Torch.mul.0.forward.output.0   torch.float32  as the GPU  相对误差错误率 0.25 > 0\n"
                      "  Torch.mul.1.forward.output.0   torch.float32  as the GPU  相对误差错误率 0.25 > 0\n"
                      "  Torch.mul.3.forward.output.0 "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  ... and 3 more in the results\n"), std::string::npos) << text;
}

TEST(SummaryTest, NamesWhatPassedAndIsSuspect) {
  InputRow npu = row("Torch.exp.0.forward.output.0", "torch.float32", "0.00001");
  npu.cells["Status"] = "pass";
  npu.cells["Message"] =
      "最大绝对误差 0.0001 < 0.001; suspect: root mean square error 41 times that of the golden rounded";
  const Outcome outcome = compare_rows({npu}, {row("Torch.exp.0.forward.output.0", "torch.float32", "0")});
  const std::string text = summary(without_paths(outcome.report), false, false, 160);
  EXPECT_NE(text.find("\npassed but suspect 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nPassed but suspect\n  Torch.exp.0.forward.output.0  torch.float32  suspect: root mean square "
                      "error 41 times that of the golden rounded\n"),
            std::string::npos)
      << text;
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
