// msprobe diff, and what is given by mistake, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace msprobe::cli {
namespace {

using support::Outcome;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kDemo = MSPROBE_TEST_DATA "/demo/step0/rank0/dump.json";

class DiffProgramTest : public support::ProgramFixture {
 protected:
  /// The demo checked into `folder`, by a dump without its option.
  Outcome check(const std::string& folder, const std::string& more = "") {
    return msprobe("acc_check '" + kDemo + "' --device_type cpu -q -o " + folder + " " + more);
  }
};

TEST_F(DiffProgramTest, TwoRunsOfOneDumpAreTheSame) {
  ASSERT_EQ(check("old").code, 0);
  ASSERT_EQ(check("new", "--threads 1").code, 0);
  const Outcome outcome = msprobe("diff old new --fail-on worse");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "APIs     better 0, worse 0, same 15\noutputs  better 0, worse 0, same 29\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(DiffProgramTest, AWorseOutputIsExitCodeOneAndARowOfTheCsv) {
  ASSERT_EQ(check("old").code, 0);
  const std::string details = only_file("old", "accuracy_checking_details_").string();
  std::string text = support::content(details);
  const size_t row = text.find("Torch.tanh.0.forward.output.0"), status = text.find(",pass,", row);
  text.replace(status, 6, ",error,");
  folder_.write("new/accuracy_checking_details_20250101120000.csv", text);
  EXPECT_EQ(msprobe("diff old new").code, 0);
  const Outcome outcome = msprobe("diff old new --fail-on worse -q -o out");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("APIs     better 0, worse 1, same 14\n"));
  EXPECT_THAT(support::content(only_file("out", "accuracy_diff_")),
              HasSubstr(" ,Torch.tanh.0.forward.output.0,torch.bfloat16,worse,pass,error,"));
  EXPECT_EQ(msprobe("diff new old --fail-on worse").code, 0);
  EXPECT_EQ(msprobe("diff old nothing").code, 2);
}

TEST_F(DiffProgramTest, AnotherSeedIsWarnedOf) {
  ASSERT_EQ(check("old").code, 0);
  ASSERT_EQ(check("new", "--seed 99").code, 0);
  const Outcome outcome = msprobe("diff old new");
  if (outcome.err.empty()) GTEST_SKIP() << "no extended attributes here";
  EXPECT_THAT(outcome.err, EndsWith("warning: the two runs had other options, so that rows may differ for that alone: "
                                    "seed: 1234 then, 99 now\n"));
}

TEST_F(DiffProgramTest, WhatIsGivenByMistakeIsNamedAndNothingIsWritten) {
  folder_.write("dump.json.gz", "\x1F\x8B\x08");
  folder_.write("l0.json", R"({"level": "L0", "data": {"Module.net.Net.forward.0": {"input_args": []}}})");
  const std::pair<std::string, std::string> cases[] = {
      {"acc_check dump.json.gz -o out", "msprobe: error: dump.json.gz: is compressed by gzip, expected a dump.json; "},
      {"acc_check l0.json -o out", "msprobe: error: l0.json: holds 1 entry of modules and no API (level L0); "},
      {"acc_check a.json -api_info b.json -o out", "msprobe: error: two dumps are named, a.json and b.json; "},
      {"compare -i compare.json", "msprobe: error: compare is a command of the Python package mindstudio-probe, "},
  };
  for (const auto& [arguments, beginning] : cases) {
    const Outcome outcome = msprobe(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, testing::StartsWith(beginning));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << arguments;
  }
}

}  // namespace
}  // namespace msprobe::cli
