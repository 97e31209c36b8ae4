#include "outcome/assessment.h"

#include <gtest/gtest.h>

#include "outcome/fail_on.h"
#include "outcome/row.h"

namespace msprobe::outcome {
namespace {

TEST(Assessment, TheTableIsInTheOrderOfItsValues) {
  for (size_t i = 0; i < kAssessmentCount; ++i) EXPECT_EQ(static_cast<size_t>(kAssessments[i].assessment), i);
}

TEST(Assessment, EveryClauseIsReadBackFromAMessage) {
  for (const AssessmentRule& rule : kAssessments) {
    if (rule.opening.empty()) continue;
    const std::string clause = std::string(rule.opening) + "torch.bfloat16: 1, 2; 3";
    EXPECT_EQ(assessment_of(Status::kError, "双千指标 0.5 <= 0.99; " + clause), rule.assessment) << rule.word;
    EXPECT_EQ(assessment_of(Status::kPass, clause), rule.assessment) << rule.word;
  }
}

TEST(Assessment, WithoutAClauseAPassIsFineAndTheRestIsUnknown) {
  EXPECT_EQ(assessment_of(Status::kPass, "最大绝对误差 0 < 0.001"), Assessment::kFine);
  EXPECT_EQ(assessment_of(Status::kPass, ""), Assessment::kFine);
  EXPECT_EQ(assessment_of(Status::kError, "双千指标 0.5 <= 0.99"), Assessment::kNone);
  EXPECT_EQ(assessment_of(Status::kSkip, "suspect: no"), Assessment::kNone);
  EXPECT_EQ(assessment_of(Status::kBlank, ""), Assessment::kNone);
}

TEST(Assessment, AWordWithinAClauseIsNone) {
  EXPECT_EQ(assessment_of(Status::kPass, "golden: my suspect: function"), Assessment::kFine);
}

TEST(FailOn, SuspectAsksForNothingElse) {
  Seen explained;
  explained.add(Status::kError);
  explained.add(Assessment::kRounding);
  EXPECT_FALSE(explained.fails_on("suspect"));
  EXPECT_TRUE(explained.fails_on("error"));
  Seen passed;
  passed.add(Status::kPass);
  passed.add(Assessment::kSuspect);
  EXPECT_TRUE(passed.fails_on("suspect"));
  EXPECT_FALSE(passed.fails_on("skip"));
  EXPECT_TRUE(Seen().fails_on("suspect"));
}

}  // namespace
}  // namespace msprobe::outcome
