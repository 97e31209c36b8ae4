// The assessment of outputs: which errors the GPU or the NPU's own file explains, and which passes stay suspect. Each
// case is a pair of rows written by hand, with the outcome that docs/compare.md#assessment states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/support.h"
#include "outcome/assessment.h"

namespace msprobe::compare::testing {
namespace {

using config::Profile;
using outcome::Assessment;
using ::testing::HasSubstr;
using Figures = std::map<std::string, std::string>;

Figures ratios(const std::string& rmse, const std::string& others = "1") {
  return {{"小值域错误占比", "0"},
          {"均方根误差", rmse},
          {"相对误差最大值", others},
          {"相对误差平均值", others},
          {"误差均衡性", "0"}};
}

Figures with(Figures figures, const Figures& more) {
  for (const auto& [column, value] : more) figures[column] = value;
  return figures;
}

struct Verdict {
  std::string status, message;
  Assessment assessment;
  bool operator==(const Verdict&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Verdict& v) {
  return out << v.status << " | " << v.message << " | " << outcome::rule_of(v.assessment).word;
}

/// The assessment is the one that the report counts, and the one that the Message gives when it is read again.
Verdict judge(const InputRow& npu, const InputRow& gpu) {
  const Outcome outcome = compare_rows({npu}, {gpu});
  Verdict verdict{outcome.details.at(0).at("比对结果"), outcome.details.at(0).at("Message"), Assessment::kNone};
  const auto status = verdict.status == "pass"    ? outcome::Status::kPass
                      : verdict.status == "error" ? outcome::Status::kError
                                                  : outcome::Status::kSkip;
  for (const outcome::AssessmentRule& rule : outcome::kAssessments)
    if (outcome.report.assessments.passed(rule.assessment) + outcome.report.assessments.not_passed(rule.assessment) > 0)
      verdict.assessment = rule.assessment;
  EXPECT_EQ(outcome::assessment_of(status, verdict.message), verdict.assessment) << verdict;
  return verdict;
}

Verdict judge(const std::string& api, const std::string& dtype, const Figures& npu, const Figures& gpu) {
  const std::string name = api + ".0.forward.output.0";
  return judge({name, dtype, npu}, {name, dtype, gpu});
}

TEST(BesideFiguresTest, AnErrorOfTheNpuWithoutFiguresIsAnErrorHere) {
  for (const char* message :
       {"shape (3, 2), the golden's is (2, 3)", "torch.float32 cannot be compared with the golden's torch.int64",
        "the golden gives a tensor, the device none", "a gradient reached this input only on the golden side"})
    for (const char* api : {"Torch.mul", "Torch.matmul", "Functional.softmax", "Functional.conv2d", "Torch.relu"})
      for (const char* dtype : {"torch.float32", " ", "torch.int64", "torch.float64", "<class 'int'>"})
        EXPECT_EQ(
            judge(api, dtype, {{"Status", "error"}, {"Message", message}}, with(ratios("1"), {{"Status", "pass"}})),
            (Verdict{"error", std::string(message) + "; suspect: the GPU's Status is pass", Assessment::kSuspect}))
            << api << dtype;
}

TEST(BesideFiguresTest, ItsApiFailsToo) {
  const Outcome outcome =
      compare_rows({{"Torch.exp.0.forward.output.0", "torch.float32", ratios("1")},
                    {"Torch.exp.0.backward.output.0", " ", {{"Status", "error"}, {"Message", "no gradient came"}}}},
                   {{"Torch.exp.0.forward.output.0", "torch.float32", ratios("1")},
                    {"Torch.exp.0.backward.output.0", "torch.float32", ratios("1")}});
  EXPECT_EQ(outcome.results,
            (std::vector<Cells>{{"Torch.exp.0", "pass", "error",
                                 "backward.output.0: no gradient came; suspect: nothing explains it"}}));
}

TEST(BesideFiguresTest, InfOrNanOnOneSideIsAnErrorUnderEveryAlgorithm) {
  // 999 of 1000 elements inf: the figures of the last one are perfect.
  const Figures one_left = with(ratios("0", "0"), {{"双千指标", "1"},
                                                   {"二进制一致错误率", "0"},
                                                   {"inf/nan错误率", "0"},
                                                   {"相对误差错误率", "0"},
                                                   {"绝对误差错误率", "0"},
                                                   {"ULP误差平均值", "0"},
                                                   {"ULP误差大于阈值占比", "0"},
                                                   {"Status", "pass"}});
  const std::string message = "999 of 1000 elements inf or nan on one side only, or of different kind or sign";
  for (const char* max_abs : {"inf", "nan"})
    for (const char* api : {"Torch.mul", "Torch.matmul", "Functional.softmax", "Functional.conv2d", "Torch.relu"})
      for (const char* dtype : {"torch.float32", "torch.bfloat16", "torch.float16", "torch.float64"}) {
        const Figures npu =
            with(one_left, {{"最大绝对误差", max_abs}, {"Status", "error"}, {"Message", message + "; suspect: inf"}});
        EXPECT_EQ(judge(api, dtype, npu, one_left),
                  (Verdict{"error", message + "; suspect: inf", Assessment::kSuspect}))
            << api << dtype;
        EXPECT_EQ(judge(api, dtype, npu, npu), (Verdict{"error",
                                                        message + "; the GPU is wrong too: " + message +
                                                            ", suspect: inf; the GPU has the same figure",
                                                        Assessment::kAsTheGpu}));
      }
  // float16 overflows where its golden does not, and the GPU's kernel did not do so.
  EXPECT_EQ(judge("Torch.mul", "torch.float16",
                  with(one_left, {{"最大绝对误差", "inf"},
                                  {"Status", "error"},
                                  {"Message", "1 of 9 elements inf; rounding to torch.float16 alone: inf too"}}),
                  one_left),
            (Verdict{"error", "1 of 9 elements inf; rounding to torch.float16 alone: inf too", Assessment::kRounding}));
}

TEST(FloorTest, APlainRatioThatTheFloorHidIsNamed) {
  // 2^-14 = 6.1e-5. 1e-6 / 1e-10 = 10000.
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", ratios("1e-6"), ratios("1e-10")),
            (Verdict{"pass", "plain ratio 10000: the GPU is below 2^-14, so it decided nothing", Assessment::kFine}));
  EXPECT_EQ(
      judge("Functional.softmax", "torch.bfloat16", ratios("1e-3", "1e-2"), ratios("1e-4", "1e-4")),
      (Verdict{"error",
               "相对误差平均值比值 2.56 > 2 (L0); plain ratios 均方根误差 10, 相对误差最大值 100: the GPU is below "
               "2^-8, so they decided nothing; suspect: 相对误差平均值 0.01, the GPU's 0.0001",
               Assessment::kSuspect}));
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", ratios("1e-6"), ratios("0")).message,
            "plain ratio inf: the GPU is below 2^-14, so it decided nothing");
  // Within the limit of 2 without the floor, too; and no error at all.
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", ratios("1e-6"), ratios("5e-7")).message, "");
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", ratios("0"), ratios("0")).message, "");
}

TEST(FloorTest, ASuspectThatPassesByTheFloorStaysOne) {
  const std::string clause = "suspect: root mean square error 41 times that of the golden rounded";
  const Figures told = {{"Status", "pass"}, {"Message", "最大绝对误差 1e-06 < 0.001; " + clause}};
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", with(ratios("1e-6"), told), ratios("1e-10")),
            (Verdict{"pass", "plain ratio 10000: the GPU is below 2^-14, so it decided nothing; " + clause,
                     Assessment::kSuspect}));
  // By rates that are 0 nothing was asked of the GPU.
  const Figures rates = {{"inf/nan错误率", "0"}, {"相对误差错误率", "0"}, {"绝对误差错误率", "0"}};
  EXPECT_EQ(judge("Torch.mul", "torch.float32", with(with(ratios("1e-6"), rates), told), with(ratios("1e-9"), rates)),
            (Verdict{"pass", clause, Assessment::kSuspect}));
  // The GPU is as far from the golden.
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", with(ratios("1e-6"), told), ratios("9e-7")),
            (Verdict{"pass", "suspect in the NPU's file, and the GPU is no better", Assessment::kFine}));
  const Outcome outcome =
      compare_rows({{"Torch.softmax.0.forward.output.0", "torch.float32", with(ratios("1e-6"), told)}},
                   {{"Torch.softmax.0.forward.output.0", "torch.float32", ratios("1e-10")}});
  EXPECT_EQ(outcome.results,
            (std::vector<Cells>{{"Torch.softmax.0", "pass", "", "forward.output.0 passed; " + clause}}));
}

TEST(AsTheGpuTest, TheSameFigureThatFailsIsTheGpusToo) {
  struct Case {
    const char *api, *dtype;
    Figures npu, better;
    std::string failure, suspicion;
  };
  const Figures rates = {{"inf/nan错误率", "0"}, {"相对误差错误率", "0.25"}, {"绝对误差错误率", "0"}};
  for (const Case& c : {Case{"Functional.conv2d",
                             "torch.bfloat16",
                             {{"双千指标", "0.75"}},
                             {{"双千指标", "0.9995"}},
                             "双千指标 0.75 <= 0.999",
                             "双千指标 0.75, the GPU's 0.9995"},
                        Case{"Torch.mul", "torch.float32", rates, with(rates, {{"相对误差错误率", "0"}}),
                             "相对误差错误率 0.25 > 0", "相对误差错误率 0.25, the GPU's 0"},
                        Case{"Torch.relu",
                             "torch.float32",
                             {{"二进制一致错误率", "0.5"}},
                             {{"二进制一致错误率", "0"}},
                             "二进制一致错误率 0.5 > 0",
                             "二进制一致错误率 0.5, the GPU's 0"},
                        Case{"Torch.matmul",
                             "torch.float16",
                             {{"ULP误差大于阈值占比", "0.5"}},
                             {{"ULP误差大于阈值占比", "0.25"}},
                             "ULP误差大于阈值占比 0.5 >= 0.001; ULP误差大于阈值占比 0.5 >= {} (GPU)",
                             "ULP误差大于阈值占比 0.5, the GPU's 0.25"}}) {
    const auto failure = [&](const char* gpu) {
      std::string text = c.failure;
      if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, gpu);
      return text;
    };
    EXPECT_EQ(judge(c.api, c.dtype, c.npu, c.npu),
              (Verdict{"error", failure("0.5") + "; the GPU has the same figure", Assessment::kAsTheGpu}));
    EXPECT_EQ(judge(c.api, c.dtype, c.npu, c.better),
              (Verdict{"error", failure("0.25") + "; suspect: " + c.suspicion, Assessment::kSuspect}));
    // What the NPU's file explains is explained, but for what the GPU shares.
    const std::string clause = "rounding to torch.bfloat16 alone: the golden rounded gives 双千指标 0.34 too";
    const Figures told = with(c.npu, {{"Status", "error"}, {"Message", "双百指标 0.9 <= 0.99; " + clause}});
    EXPECT_EQ(judge(c.api, c.dtype, told, c.better),
              (Verdict{"error", failure("0.25") + "; " + clause, Assessment::kRounding}));
    EXPECT_EQ(judge(c.api, c.dtype, told, c.npu).assessment, Assessment::kAsTheGpu);
  }
}

TEST(AsTheGpuTest, AWorseFigureOfTheGpuExplainsTheNpusToo) {
  EXPECT_EQ(
      judge("Functional.conv2d", "torch.bfloat16", {{"双千指标", "0.75"}}, {{"双千指标", "0.5"}}),
      (Verdict{"error", "双千指标 0.75 <= 0.999; the GPU has the same figure or a worse one", Assessment::kAsTheGpu}));
}

TEST(NpusFileTest, ItsWordExplainsAnErrorHere) {
  for (const auto& [clause, word] :
       {std::pair("as the CPU in float32 arithmetic", Assessment::kArithmetic),
        std::pair("the golden is all but 0 here: at most 1e-20", Assessment::kCancellation),
        std::pair("suspect: largest relative error 41 times", Assessment::kSuspect)})
    EXPECT_EQ(
        judge("Functional.softmax", "torch.float32",
              with(ratios("3"), {{"Status", "warning"}, {"Message", std::string("why; ") + clause}}), ratios("1")),
        (Verdict{"error", std::string("均方根误差比值 3 > 2 (L0); ") + clause, word}));
  EXPECT_EQ(judge("Functional.softmax", "torch.float32",
                  with(ratios("3"), {{"Status", "pass"}, {"Message", "little evidence: one element"}}), ratios("1")),
            (Verdict{"error", "均方根误差比值 3 > 2 (L0); suspect: 均方根误差 3, the GPU's 1", Assessment::kSuspect}));
}

TEST(GpuIsWrongTooTest, ItsMessageOrItsFigureIsTold) {
  const Figures wrong = {{"Status", "error"}, {"Message", "余弦相似度 0.5 <= 0.99; suspect: 41 times"}};
  EXPECT_EQ(
      judge("Functional.softmax", "torch.float32", with(ratios("3"), wrong), with(ratios("1"), wrong)).message,
      "均方根误差比值 3 > 2 (L0); the GPU is wrong too: 余弦相似度 0.5 <= 0.99, suspect: 41 times; suspect: 41 times");
  // Both are wrong, and the ratio passes.
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", with(ratios("1"), {{"Status", "error"}}),
                  with(ratios("1"), {{"Status", "error"}, {"Message", "\n余弦相似度 0.5\n"}})),
            (Verdict{"pass", "the GPU is wrong too: 余弦相似度 0.5", Assessment::kFine}));
  EXPECT_EQ(judge("Functional.conv2d", "torch.float32", {{"双千指标", "0.75"}},
                  {{"双千指标", "0.875"}, {"Status", "error"}, {"Message", " "}})
                .message,
            "双千指标 0.75 <= 0.999; the GPU is wrong too: 双千指标 0.875; suspect: 双千指标 0.75, the GPU's 0.875");
  // An NPU without an error of its own has not been wrong with it.
  EXPECT_EQ(
      judge("Functional.softmax", "torch.float32", with(ratios("1"), {{"Status", "pass"}}), with(ratios("1"), wrong))
          .message,
      "");
}

TEST(DifferenceTest, ShapesAndDtypesThatDifferAreAnError) {
  const std::string clause = "; suspect: the GPU gives something else";
  EXPECT_EQ(judge("Functional.softmax", "torch.float32", ratios("1"), with(ratios("1"), {{"Shape", "(3, 2)"}})),
            (Verdict{"error", "shape (2, 3), the GPU's is (3, 2)" + clause, Assessment::kSuspect}));
  const InputRow npu{"Torch.exp.0.forward.output.0", "torch.float16", ratios("1")};
  EXPECT_EQ(judge(npu, {npu.name, "torch.float32", ratios("1")}),
            (Verdict{"error", "dtype torch.float16, the GPU's is torch.float32" + clause, Assessment::kSuspect}));
  EXPECT_EQ(judge(npu, {npu.name, "torch.float32", with(ratios("1"), {{"Shape", "()"}})}).message,
            "shape (2, 3), the GPU's is (); dtype torch.float16, the GPU's is torch.float32" + clause);
  // A blank one tells nothing, and blanks inside are another tool's.
  EXPECT_EQ(judge(npu, {npu.name, npu.dtype, with(ratios("1"), {{"Shape", "(2,3)"}})}).status, "pass");
  EXPECT_EQ(judge(npu, {npu.name, " ", with(ratios("1"), {{"Shape", " "}})}).status, "pass");
}

TEST(CrashTest, IsASkipInBothDirectionsWhereTheGpuRanBoth) {
  const Figures crash = {{"Status", "SKIP"}, {"Message", "crashed: SIGSEGV (segmentation fault)"}, {"Shape", " "}};
  const InputRow crashed{"Torch.exp.0.forward.output.0", " ", crash};
  const InputRow forward{"Torch.exp.0.forward.output.0", "torch.float32", ratios("1")};
  const InputRow backward{"Torch.exp.0.backward.output.1", "torch.float32", ratios("1")};
  const Cells both = {"Torch.exp.0", "SKIP", "SKIP", "crashed: SIGSEGV (segmentation fault)"};
  EXPECT_EQ(compare_rows({crashed}, {forward, backward}).results, (std::vector<Cells>{both}));
  EXPECT_EQ(compare_rows({crashed}, {forward}).results, (std::vector<Cells>{{both[0], "SKIP", "", both[3]}}));
  // What ran on the NPU has no backward there.
  EXPECT_EQ(compare_rows({forward}, {forward, backward}).results, (std::vector<Cells>{{both[0], "pass", "", ""}}));
  EXPECT_EQ(compare_rows({crashed}, {forward, backward}, Profile::kMindstudio).results,
            (std::vector<Cells>{{both[0], "SKIP", "", both[3]}}));
}

class SelfTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SelfTest, ARunBesideItsCopyHoldsNoSuspect) {
  const TempFolder folder;
  fs::copy_file(kData + "/" + GetParam() + "/npu.csv", folder / "npu.csv");
  fs::copy_file(folder / "npu.csv", folder / "copy.csv");
  const CompareReport report = run(options(folder / "npu.csv", folder / "copy.csv", folder / "out"));
  const int64_t errors = report.rows[static_cast<size_t>(outcome::Status::kError)];
  EXPECT_EQ(report.assessments.not_passed(Assessment::kAsTheGpu), errors);
  EXPECT_EQ(report.assessments.passed(Assessment::kSuspect), 0);
  EXPECT_FALSE(fails_on(report, "suspect"));
}

INSTANTIATE_TEST_SUITE_P(Files, SelfTest,
                         ::testing::Values("gpt2_amp_bf16_tensor", "mix_level_statistics", "overflow_fp16_statistics",
                                           "resnet_fp32_tensor", "vit_fp16_tensor"),
                         [](const auto& info) { return info.param; });

TEST(PeersFilesTest, NoAssessmentUnderProfileMindstudio) {
  const TempFolder folder;
  const std::string base = kData + "/vit_fp16_tensor";
  const CompareReport report = run(options(base + "/npu.csv", base + "/gpu.csv", folder / "out", Profile::kMindstudio));
  EXPECT_GT(report.rows[static_cast<size_t>(outcome::Status::kError)], 0);
  EXPECT_EQ(report.assessments.line(), "");
  EXPECT_FALSE(fails_on(report, "suspect"));
}

}  // namespace
}  // namespace msprobe::compare::testing
