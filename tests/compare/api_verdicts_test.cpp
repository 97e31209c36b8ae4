// Verdicts of APIs from those of their outputs.
#include <gtest/gtest.h>

#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

using config::Profile;
constexpr Profile kDoc = Profile::kDocumented, kMs = Profile::kMindstudio;

const char* const kTopk =
    "在npu上，topk的入参sorted=False时不生效，会返回有序tensor，而cpu上会返回无序tensor。 "
    "如果topk精度不达标，请检查是否是该原因导致的。";

/// `pass`, `error`, `skip` (blank dtype) or `f64` as a row of that output.
InputRow row(const std::string& output, const std::string& kind) {
  std::map<std::string, std::string> cells = {
      {"小值域错误占比", "0"}, {"均方根误差", kind == "error" ? "3" : "1"},
      {"相对误差最大值", "1"}, {"相对误差平均值", "1"},
      {"误差均衡性", "0"},     {"Message", kind == "skip" ? "no gradient" : " "}};
  return {output, kind == "skip" ? " " : kind == "f64" ? "torch.float64" : "torch.float32", cells};
}

std::vector<Cells> results(const std::vector<std::pair<std::string, std::string>>& outputs, Profile profile) {
  std::vector<InputRow> npu, gpu;
  for (const auto& [output, kind] : outputs) {
    npu.push_back(row(output, kind));
    gpu.push_back(row(output, kind == "error" ? "pass" : kind));
  }
  return compare_rows(npu, gpu, profile).results;
}

TEST(ApiVerdictsTest, ErrorBeforePassBeforeSkip) {
  EXPECT_EQ(results({{"Torch.exp.0.forward.output.0", "pass"},
                     {"Torch.exp.0.forward.output.1", "skip"},
                     {"Torch.exp.0.backward.output.0", "error"},
                     {"Torch.exp.0.backward.output.1", "pass"},
                     {"Torch.exp.1.forward.output.0", "skip"},
                     {"Torch.exp.2.backward.output.0", "skip"},
                     {"Torch.exp.2.forward.output.0", "pass"}},
                    kDoc),
            (std::vector<Cells>{{"Torch.exp.0", "pass", "error",
                                 "backward.output.0: 均方根误差比值 3 > 2 (L0); suspect: 均方根误差 3, the GPU's 1"},
                                {"Torch.exp.1", "SKIP", "", "no gradient"},
                                {"Torch.exp.2", "pass", "SKIP", ""}}));
}

TEST(ApiVerdictsTest, MessageHasTheFirstFailureAndTheirNumber) {
  EXPECT_EQ(results({{"Torch.exp.0.forward.output.0", "error"},
                     {"Torch.exp.0.forward.output.1", "error"},
                     {"Torch.exp.0.backward.output.0", "error"}},
                    kDoc),
            (std::vector<Cells>{
                {"Torch.exp.0", "error", "error",
                 "forward.output.0: 均方根误差比值 3 > 2 (L0); suspect: 均方根误差 3, the GPU's 1; 2 more failed"}}));
}

TEST(ApiVerdictsTest, RowsOfOneApiMayStandApart) {
  for (const Profile profile : {kDoc, kMs})
    EXPECT_EQ(results({{"Torch.exp.0.forward.output.0", "pass"},
                       {"Torch.exp.1.forward.output.0", "pass"},
                       {"Torch.exp.0.backward.output.0", "pass"}},
                      profile),
              (std::vector<Cells>{{"Torch.exp.0", "pass", "pass", ""}, {"Torch.exp.1", "pass", "", ""}}));
}

TEST(ApiVerdictsTest, UnsupportedRowsAreSkippedNotTheirApi) {
  EXPECT_EQ(results({{"Torch.exp.0.forward.output.0", "pass"},
                     {"Torch.exp.0.backward.output.0", "f64"},
                     {"Torch.exp.1.forward.output.0", "f64"},
                     {"Torch.exp.2.forward.output.0", "f64"},
                     {"Torch.exp.2.backward.output.0", "pass"}},
                    kDoc),
            (std::vector<Cells>{{"Torch.exp.0", "pass", "SKIP", ""},
                                {"Torch.exp.1", "SKIP", "", "torch.float64 is not judged"},
                                {"Torch.exp.2", "SKIP", "pass", "torch.float64 is not judged"}}));
}

TEST(ApiVerdictsTest, MindstudioDoesNotCountUnsupportedRowsBesideOthers) {
  const std::string unsupported = "This data type does not support benchmark compare.";
  EXPECT_EQ(results({{"Torch.exp.0.forward.output.0", "pass"},
                     {"Torch.exp.0.backward.output.0", "f64"},
                     {"Torch.exp.1.forward.output.0", "f64"},
                     {"Torch.exp.2.forward.output.0", "f64"},
                     {"Torch.exp.2.backward.output.0", "pass"},
                     {"Torch.exp.3.forward.output.0", "skip"},
                     {"Torch.exp.3.backward.output.0", "f64"}},
                    kMs),
            (std::vector<Cells>{{"Torch.exp.0", "pass", "SKIP", ""},
                                {"Torch.exp.1", "SKIP", "SKIP", unsupported},
                                {"Torch.exp.2", "", "pass", ""},
                                {"Torch.exp.3", "SKIP", "SKIP", unsupported}}));
}

TEST(ApiVerdictsTest, FailingTopkCarriesTheHint) {
  EXPECT_EQ(results({{"Torch.topk.0.forward.output.0", "error"},
                     {"Torch.topk.1.forward.output.0", "pass"},
                     {"Torch.topk.1.backward.output.0", "error"},
                     {"Torch.topk.2.forward.output.0", "pass"},
                     {"Torch.mytopk.0.forward.output.0", "error"}},
                    kMs),
            (std::vector<Cells>{{"Torch.topk.0", "error", "", kTopk},
                                {"Torch.topk.1", "pass", "error", ""},
                                {"Torch.topk.2", "pass", "", ""},
                                {"Torch.mytopk.0", "error", "", ""}}));
  EXPECT_EQ(
      results({{"Torch.topk.0.forward.output.0", "error"}, {"Torch.topk.1.backward.output.0", "error"}}, kDoc),
      (std::vector<Cells>{
          {"Torch.topk.0", "error", "",
           std::string("forward.output.0: 均方根误差比值 3 > 2 (L0); suspect: 均方根误差 3, the GPU's 1; ") + kTopk},
          {"Torch.topk.1", "", "error",
           std::string("backward.output.0: 均方根误差比值 3 > 2 (L0); suspect: 均方根误差 3, the GPU's 1; ") +
               kTopk}}));
}

TEST(ApiVerdictsTest, ARowNamedLikeAnApiDoesNotHideItsVerdict) {
  for (const Profile profile : {kDoc, kMs})
    for (const bool before : {true, false}) {
      std::vector<std::pair<std::string, std::string>> rows = {{"Torch.exp.0.forward.output.0", "pass"}};
      rows.insert(before ? rows.begin() : rows.end(), {"Torch.exp.0", "pass"});
      EXPECT_EQ(results(rows, profile), (std::vector<Cells>{{"Torch.exp.0", "pass", "", ""}}));
    }
}

TEST(ApiVerdictsTest, OtherDirectionsAreJudgedButNotCountedByMindstudio) {
  const Outcome outcome = compare_rows({row("Tensor.add.77.sideways.output.0", "error")},
                                       {row("Tensor.add.77.sideways.output.0", "pass")}, kMs);
  EXPECT_EQ(outcome.details.at(0).at("比对结果"), "error");
  EXPECT_EQ(outcome.results, (std::vector<Cells>{{"Tensor.add.77", "", "", ""}}));
}

}  // namespace
}  // namespace msprobe::compare::testing
