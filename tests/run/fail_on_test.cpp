// --fail-on, as docs/user-guide.md tells of it.
#include "run/fail_on.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

constexpr const char* kHeader = "API name,Forward Test Success,Backward Test Success,Message\r\n";

struct Case {
  const char* name;
  const char* rows;
  Result skip, warning, error;  ///< what each --fail-on gives
};

TEST(FailOnTest, AStatusOrAWorseOneFailsAndSoDoesARunThatComparedNothing) {
  constexpr Result kDone = Result::kDone, kFailed = Result::kFailed;
  const Case cases[] = {
      {"all pass", "Torch.mul.0,pass,pass,\r\n", kDone, kDone, kDone},
      {"a skip beside a pass", "Torch.mul.0,pass,,\r\nTorch.bad.0,SKIP,SKIP,gone\r\n", kFailed, kDone, kDone},
      {"a warning", "Torch.mul.0,warning,pass,\r\n", kFailed, kFailed, kDone},
      {"an error backward", "Torch.mul.0,pass,error,\r\n", kFailed, kFailed, kFailed},
      {"skips alone", "Torch.bad.0,SKIP,SKIP,gone\r\n", kFailed, kFailed, kFailed},
      {"no row", "", kFailed, kFailed, kFailed},
  };
  const support::TempFolder folder;
  for (const Case& c : cases) {
    const std::string file = folder.write("accuracy_checking_result_20250102030405.csv", std::string(kHeader) + c.rows);
    EXPECT_EQ(judged(file, "skip"), c.skip) << c.name;
    EXPECT_EQ(judged(file, "warning"), c.warning) << c.name;
    EXPECT_EQ(judged(file, "error"), c.error) << c.name;
    EXPECT_EQ(judged(file, ""), kDone) << c.name;
  }
}

TEST(FailOnTest, ASuspectFailsWhateverItsStatusAndWhatIsExplainedDoesNot) {
  struct Suspicion {
    const char* rows;
    Result suspect;
  };
  const support::TempFolder folder;
  for (const Suspicion& c :
       {Suspicion{"Torch.mul.0,error,pass,forward.output.0: rounding to torch.bfloat16 alone\r\n", Result::kDone},
        Suspicion{"Torch.mul.0,error,pass,\"forward.output.0: 双百指标 0.9 <= 0.99; suspect: 41 times\"\r\n",
                  Result::kFailed},
        Suspicion{"Torch.mul.0,pass,pass,suspect: 41 times; rounding to torch.bfloat16 alone\r\n", Result::kFailed},
        Suspicion{"Torch.mul.0,pass,pass,\r\nTorch.bad.0,SKIP,,suspect: an operator's own words\r\n", Result::kDone},
        Suspicion{"Torch.mul.0,pass,pass,no suspect: a word inside\r\n", Result::kDone},
        Suspicion{"Torch.bad.0,SKIP,SKIP,gone\r\n", Result::kFailed}}) {
    const std::string file = folder.write("accuracy_checking_result_20250102030405.csv", std::string(kHeader) + c.rows);
    EXPECT_EQ(judged(file, "suspect"), c.suspect) << c.rows;
  }
}

TEST(FailOnTest, AFileThatIsGoneIsAnErrorOnlyWhereItIsAsked) {
  EXPECT_THROW(judged("/absent.csv", "error"), Error);
  EXPECT_EQ(judged("/absent.csv", ""), Result::kDone);
}

}  // namespace
}  // namespace msprobe::run
