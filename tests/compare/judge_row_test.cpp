// Rows that are skipped, or judged by another algorithm than their own, and what is said of them.
#include <gtest/gtest.h>

#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

using config::Profile;
using Figures = std::map<std::string, std::string>;

const Figures kBenchmark = {{"小值域错误占比", "0"},
                            {"均方根误差", "1"},
                            {"相对误差最大值", "1"},
                            {"相对误差平均值", "1"},
                            {"误差均衡性", "0"}};

Figures with(Figures figures, const Figures& more) {
  for (const auto& [column, value] : more) figures[column] = value;
  return figures;
}

struct Row {
  std::string verdict, algorithm, message;
  bool operator==(const Row&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.verdict << " | " << row.algorithm << " | " << row.message;
}

Row judge(const InputRow& npu, const InputRow& gpu, Profile profile = Profile::kDocumented) {
  const auto details = compare_rows({npu}, {gpu}, profile).details.at(0);
  return {details.at("比对结果"), details.at("比对算法"), details.at("Message")};
}

Row judge(const std::string& api, const std::string& dtype, const Figures& npu, const Figures& gpu,
          Profile profile = Profile::kDocumented) {
  const std::string name = api + ".0.forward.output.0";
  return judge({name, dtype, npu}, {name, dtype, gpu}, profile);
}

TEST(FallbackTest, BlankFiguresOfItsAlgorithmAreReplacedByRatios) {
  struct Case {
    const char *api, *message;
  };
  for (const Case& c :
       {Case{"Torch.mul",
             "judged by 标杆比对法: NPU lacks inf/nan错误率, 相对误差错误率, 绝对误差错误率 for 绝对阈值法"},
        Case{"Torch.relu", "judged by 标杆比对法: NPU lacks 二进制一致错误率 for 二进制一致法"},
        Case{"Functional.conv2d", "judged by 标杆比对法: NPU lacks 双千指标 for 双千指标法"},
        Case{"Torch.matmul",
             "judged by 标杆比对法: NPU lacks ULP误差平均值, ULP误差大于阈值占比; GPU lacks ULP误差大于阈值占比 for "
             "ULP误差比对法"}})
    EXPECT_EQ(judge(c.api, "torch.float32", kBenchmark, kBenchmark), (Row{"pass", "标杆比对法", c.message}));
}

TEST(FallbackTest, OneBlankFigureIsEnough) {
  const Figures some = with(kBenchmark, {{"inf/nan错误率", "0"}, {"相对误差错误率", "0"}});
  EXPECT_EQ(judge("Torch.mul", "torch.float16", some, kBenchmark),
            (Row{"pass", "标杆比对法", "judged by 标杆比对法: NPU lacks 绝对误差错误率 for 绝对阈值法"}));
  // Ours against MindStudio's: the GPU's file lacks the ULP figures.
  const Figures ours = with(kBenchmark, {{"ULP误差平均值", "0"}, {"ULP误差大于阈值占比", "0"}});
  EXPECT_EQ(judge("Torch.matmul", "torch.float16", ours, kBenchmark),
            (Row{"pass", "标杆比对法", "judged by 标杆比对法: GPU lacks ULP误差大于阈值占比 for ULP误差比对法"}));
  // float16 does not ask for the mean.
  const Figures share = with(kBenchmark, {{"ULP误差大于阈值占比", "0"}});
  EXPECT_EQ(judge("Torch.matmul", "torch.float16", share, share), (Row{"pass", "ULP误差比对法", ""}));
}

TEST(FallbackTest, FailuresStandBeforeTheNote) {
  EXPECT_EQ(
      judge("Torch.relu", "torch.float32", with(kBenchmark, {{"均方根误差", "3"}}), kBenchmark),
      (Row{"error", "标杆比对法",
           "均方根误差比值 3 > 2 (L0); judged by 标杆比对法: NPU lacks 二进制一致错误率 for 二进制一致法; suspect: "
           "均方根误差 3, the GPU's 1"}));
}

TEST(SkipTest, NamesTheMissingFigures) {
  EXPECT_EQ(judge("Torch.softmax", "torch.float32", with(kBenchmark, {{"均方根误差", " "}}),
                  with(kBenchmark, {{"均方根误差", " "}, {"小值域错误占比", ""}})),
            (Row{"SKIP", "", "标杆比对法: NPU lacks 均方根误差; GPU lacks 小值域错误占比, 均方根误差"}));
  EXPECT_EQ(
      judge("Torch.matmul", "torch.float32", {}, kBenchmark),
      (Row{"SKIP", "",
           "ULP误差比对法: NPU lacks ULP误差平均值, ULP误差大于阈值占比; GPU lacks ULP误差大于阈值占比; 标杆比对法: "
           "NPU lacks 小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值"}));
  EXPECT_EQ(
      judge("Torch.softmax", "torch.int64", {}, {}),
      (Row{"SKIP", "",
           "二进制一致法: NPU lacks 二进制一致错误率; 标杆比对法: NPU lacks 小值域错误占比, 均方根误差, "
           "相对误差最大值, 相对误差平均值; GPU lacks 小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值"}));
}

TEST(SkipTest, DropoutIsJudgedByItsStatusAlone) {
  for (const char* api : {"Functional.dropout", "Functional.dropout2d", "Torch.feature_dropout"})
    EXPECT_EQ(judge(api, "torch.float32", kBenchmark, kBenchmark),
              (Row{"SKIP", "",
                   "each side draws its own zeros, so that figures cannot be compared; Status judges their number"}));
}

TEST(SkipTest, SaysWhyAcceptanceSkippedThere) {
  const InputRow npu{"Torch.softmax.0.forward.output.0", "torch.float32", kBenchmark};
  const InputRow gpu{
      "Torch.softmax.0.forward.output.0", "", {{"Status", "SKIP"}, {"Message", "timed out after 600 s"}}};
  EXPECT_EQ(judge(npu, gpu),
            (Row{"SKIP", "",
                 "标杆比对法: GPU lacks 小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值; GPU: timed out "
                 "after 600 s"}));
}

TEST(SkipTest, NamesFiguresThatAreNoNumbers) {
  EXPECT_EQ(judge("Torch.softmax", "torch.float32", with(kBenchmark, {{"均方根误差", "abc"}}), kBenchmark),
            (Row{"SKIP", "", "标杆比对法: NPU has no number in 均方根误差"}));
  EXPECT_EQ(judge("Torch.mul", "torch.float32", with(kBenchmark, {{"相对误差错误率", "0x1p-3"}}), kBenchmark),
            (Row{"SKIP", "", "绝对阈值法: NPU has no number in 相对误差错误率"}));
  EXPECT_EQ(judge("Torch.mul", "torch.float32", kBenchmark, with(kBenchmark, {{"相对误差最大值", "#DIV/0!"}})),
            (Row{"SKIP", "", "标杆比对法: GPU has no number in 相对误差最大值"}));
}

TEST(SkipTest, MessageOfUnjudgedRowsIsTheNpus) {
  for (const std::string dtype : {" ", "torch.float64", "torch.complex64", "torch.complex128"})
    EXPECT_EQ(judge("Torch.mul", dtype, with(kBenchmark, {{"Message", "no gradient"}}), kBenchmark),
              (Row{"SKIP", "", "no gradient"}))
        << dtype;
  EXPECT_EQ(judge("Torch.mul", "torch.float32", with(kBenchmark, {{"Shape", "(0,)"}, {"Message", "empty"}}),
                  with(kBenchmark, {{"Shape", "(0,)"}})),
            (Row{"SKIP", "", "empty"}));
  EXPECT_EQ(judge("Torch.mul", "torch.float64", kBenchmark, kBenchmark),
            (Row{"SKIP", "", "torch.float64 is not judged"}));
}

TEST(SkipTest, RowsThatTheGpuLacksSaySo) {
  for (const Profile profile : {Profile::kDocumented, Profile::kMindstudio}) {
    const Outcome outcome = compare_rows({{"Torch.softmax.0.forward.output.0", "torch.float32", kBenchmark}},
                                         {{"Torch.softmax.0.forward.output.1", "torch.float32", kBenchmark}}, profile);
    EXPECT_EQ(outcome.details.at(0).at("比对结果"), "SKIP");
    EXPECT_EQ(outcome.details.at(0).at("Message"), "the GPU's details file has no row of this name");
    EXPECT_EQ(outcome.results,
              (std::vector<Cells>{{"Torch.softmax.0", "SKIP", "", "the GPU's details file has no row of this name"}}));
    EXPECT_EQ(outcome.report.missing_in_gpu, 1);
    EXPECT_EQ(outcome.report.missing_in_npu, 1);
  }
}

TEST(SkipTest, NamesThatCannotBeTakenApartKeepTheirRow) {
  const InputRow row{"Tensor.add.forward.output.0", "torch.float32", kBenchmark};
  const Outcome ours = compare_rows({row}, {row});
  EXPECT_EQ(ours.details.at(0).at("Message"), "no name of an output, expected one like Torch.mul.0.forward.output.0");
  EXPECT_EQ(ours.results.at(0), (Cells{"Tensor.add.forward.output.0", "SKIP", "SKIP",
                                       "no name of an output, expected one like Torch.mul.0.forward.output.0"}));
}

TEST(MindstudioTest, BlankFiguresAreZeroWhereItDivides) {
  const Row row =
      judge("Torch.mul", "torch.float32", with(kBenchmark, {{"均方根误差", " "}}), kBenchmark, Profile::kMindstudio);
  EXPECT_EQ(row, (Row{"pass", "标杆比对法", ""}));
  EXPECT_EQ(judge("Torch.mul", "torch.float8_e5m2", {}, {}, Profile::kMindstudio), (Row{"pass", "ULP误差比对法", ""}));
}

TEST(MindstudioTest, WhatWasNeverComparedIsSkipped) {
  const std::string name = "Torch.mul.0.forward.output.0";
  const InputRow judged{name, "torch.float32", kBenchmark};
  const InputRow empty{
      name, "torch.float32", {{"Shape", "(0, 3)"}, {"Status", "SKIP"}, {"Message", "the output has no elements"}}};
  const InputRow crashed{
      name, "torch.float16", {{"Status", "SKIP"}, {"Message", "the worker was killed by signal 11"}}};
  EXPECT_EQ(judge(empty, empty, Profile::kMindstudio), (Row{"SKIP", "", "the output has no elements"}));
  EXPECT_EQ(judge(crashed, judged, Profile::kMindstudio), (Row{"SKIP", "", "the worker was killed by signal 11"}));
  // Status decides whatever the figures are, and for every algorithm.
  for (const char* dtype : {"torch.float32", "torch.float8_e5m2", "torch.int64"})
    EXPECT_EQ(
        judge({name, dtype, with(kBenchmark, {{"Status", "SKIP"}, {"Message", "why"}})}, judged, Profile::kMindstudio),
        (Row{"SKIP", "", "why"}))
        << dtype;
  // Without a Status too.
  EXPECT_EQ(judge({name, "torch.float32", {}}, judged, Profile::kMindstudio),
            (Row{"SKIP", "", "NPU lacks 小值域错误占比, 均方根误差, 相对误差最大值, 相对误差平均值"}));
}

TEST(MindstudioTest, GivesUpElsewhere) {
  EXPECT_EQ(judge("Torch.mul", "torch.int64", {}, {}, Profile::kMindstudio),
            (Row{"SKIP", "", "ERROR: Input data is an empty string"}));
  EXPECT_EQ(judge("Torch.mul", "torch.float32", {{"相对误差错误率", "0"}}, {}, Profile::kMindstudio),
            (Row{"SKIP", "", "ERROR: Input data is an empty string"}));
  EXPECT_EQ(
      judge("Torch.mul", "torch.float32", with(kBenchmark, {{"均方根误差", "abc"}}), kBenchmark, Profile::kMindstudio),
      (Row{"SKIP", "", "ERROR: Input data cannot be converted to float"}));
}

TEST(MindstudioTest, WordsOfPandasAreNan) {
  EXPECT_EQ(
      judge("Torch.mul", "torch.float32", with(kBenchmark, {{"均方根误差", "N/A"}}), kBenchmark, Profile::kMindstudio),
      (Row{"error", "标杆比对法", "均方根误差inf或nan不一致 ERROR: 均方根误差比值超过阈值"}));
}

TEST(MindstudioTest, ThousandthAndUlpOfHalvesAreNeverAsked) {
  EXPECT_EQ(judge("Functional.conv2d", "torch.float16", with(kBenchmark, {{"双千指标", "0"}}), kBenchmark,
                  Profile::kMindstudio),
            (Row{"pass", "标杆比对法", ""}));
}

}  // namespace
}  // namespace msprobe::compare::testing
