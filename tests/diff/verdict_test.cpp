#include "diff/verdict.h"

#include <gtest/gtest.h>

namespace msprobe::diff {
namespace {

using outcome::Assessment;
using outcome::Reason;
using outcome::Status;

constexpr Verdict kPass{Status::kPass, Assessment::kFine}, kWarning{Status::kWarning, Assessment::kRounding},
    kError{Status::kError, Assessment::kRounding}, kSuspectError{Status::kError, Assessment::kSuspect},
    kSuspectPass{Status::kPass, Assessment::kSuspect}, kArithmetic{Status::kError, Assessment::kArithmetic},
    kSkip{Status::kSkip, Assessment::kNone, Reason::kSkipped},
    kCrash{Status::kSkip, Assessment::kNone, Reason::kCrashed}, kBlank{};

struct Case {
  const char* rule;
  Verdict before, after;
  Change change;
};

TEST(ChangeOfTest, FollowsTheTableOfTheDocumentation) {
  const Case cases[] = {
      {"the same", kPass, kPass, Change::kSame},
      {"pass, warning, error: up is worse", kPass, kWarning, Change::kWorse},
      {"pass, warning, error: up is worse", kWarning, kError, Change::kWorse},
      {"pass, warning, error: down is better", kError, kWarning, Change::kBetter},
      {"pass, warning, error: down is better", kWarning, kPass, Change::kBetter},
      {"a suspect appears", kError, kSuspectError, Change::kWorse},
      {"a suspect appears in a pass", kPass, kSuspectPass, Change::kWorse},
      {"a suspect appears though the verdict is better", kError, kSuspectPass, Change::kWorse},
      {"a suspect goes", kSuspectError, kError, Change::kBetter},
      {"the verdict is worse though a suspect goes", kSuspectPass, kError, Change::kWorse},
      {"explained in another way", kError, kArithmetic, Change::kChanged},
      {"a pass cannot be checked any more", kPass, kCrash, Change::kWorse},
      {"a pass cannot be checked any more", kPass, kBlank, Change::kWorse},
      {"an error cannot be checked any more", kSuspectError, kCrash, Change::kChanged},
      {"checked now, and right", kSkip, kPass, Change::kBetter},
      {"checked now, and wrong", kSkip, kError, Change::kWorse},
      {"checked now, and a suspect", kSkip, kSuspectPass, Change::kWorse},
      {"skipped for another reason", kSkip, kCrash, Change::kChanged},
      {"skipped as before", kCrash, kCrash, Change::kSame},
  };
  for (const Case& c : cases)
    EXPECT_EQ(text_of(change_of(c.before, c.after, true)), text_of(c.change))
        << c.rule << ": " << text_of(c.before) << " -> " << text_of(c.after);
}

TEST(ChangeOfTest, WithoutAssessmentsOnlyTheStatusCounts) {
  EXPECT_EQ(change_of(kError, kSuspectError, false), Change::kSame);
  EXPECT_EQ(change_of(kPass, kSuspectPass, false), Change::kSame);
  EXPECT_EQ(change_of(kPass, kSuspectError, false), Change::kWorse);
}

}  // namespace
}  // namespace msprobe::diff
