#include "report/assessment_tally.h"

#include <gtest/gtest.h>

namespace msprobe::report {
namespace {

using outcome::Assessment;
using outcome::Status;

void add(AssessmentTally& tally, Status status, Assessment assessment, int count) {
  for (int i = 0; i < count; ++i) tally.add(status, assessment);
}

TEST(AssessmentTallyTest, CountsWarningsAndErrorsByWordAndPassesThatAreSuspect) {
  AssessmentTally tally;
  add(tally, Status::kWarning, Assessment::kRounding, 40);
  add(tally, Status::kError, Assessment::kRounding, 5);
  add(tally, Status::kError, Assessment::kArithmetic, 2);
  add(tally, Status::kError, Assessment::kSuspect, 2);
  add(tally, Status::kPass, Assessment::kFine, 6000);
  add(tally, Status::kPass, Assessment::kUnproven, 3);
  add(tally, Status::kPass, Assessment::kSuspect, 1);
  EXPECT_EQ(tally.line(), "not passed 49: 45 rounding, 2 arithmetic, 2 suspect; passed but suspect 1");
  EXPECT_EQ(tally.not_passed(Assessment::kRounding), 45);
  EXPECT_EQ(tally.passed(Assessment::kUnproven), 3);
}

TEST(AssessmentTallyTest, SuspectsStandBehindAllThatIsExplained) {
  AssessmentTally tally;
  for (const Assessment assessment : {Assessment::kSuspect, Assessment::kNone, Assessment::kAsTheGpu,
                                      Assessment::kCancellation, Assessment::kRounding, Assessment::kArithmetic})
    tally.add(Status::kError, assessment);
  EXPECT_EQ(tally.line(),
            "not passed 6: 1 rounding, 1 arithmetic, 1 cancellation, 1 as the GPU, 1 suspect, 1 not assessed");
}

TEST(AssessmentTallyTest, SaysNothingWhereAllIsFineOrNothingWasAssessed) {
  AssessmentTally tally;
  EXPECT_EQ(tally.line(), "");
  add(tally, Status::kPass, Assessment::kFine, 7);
  add(tally, Status::kPass, Assessment::kUnproven, 1);
  add(tally, Status::kSkip, Assessment::kNone, 2);
  add(tally, Status::kBlank, Assessment::kNone, 2);
  EXPECT_EQ(tally.line(), "");
  add(tally, Status::kError, Assessment::kNone, 2);  // a profile that does not ask
  EXPECT_EQ(tally.line(), "");
  add(tally, Status::kPass, Assessment::kSuspect, 2);
  EXPECT_EQ(tally.line(), "passed but suspect 2");
}

}  // namespace
}  // namespace msprobe::report
