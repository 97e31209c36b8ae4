// Verdicts of sides that were made by hand: no operator runs.
#include "check/judged.h"

#include <gmock/gmock.h>

#include "check/dumped.h"

namespace msprobe::check {
namespace {

using inputs::None;
using inputs::Value;
using outcome::Status;

// Torch.mul.0 of one float32 tensor; backward is recorded where a test asks for it.
class JudgedTest : public testing::Test {
 protected:
  outcome::ApiOutcome judged(const Called& called, bool backward = false) {
    dumped_.args = {dumped_.tensor(at::ones({2}), true), Dumped::integer(2)};
    dumped_.gradients.clear();
    if (backward) dumped_.gradients = {dumped_.tensor(at::ones({2}))};
    const Rebuilt rebuilt = dumped_.rebuilt();
    return judge(dumped_.session(), rebuilt, called);
  }
  static Value floats(float a, float b) { return Value(at::tensor({a, b})); }
  static Value doubles(double a, double b) { return Value(at::tensor({a, b}, at::kDouble)); }

  Dumped dumped_{"Torch.mul.0", /*real_data=*/false};
};

TEST_F(JudgedTest, EqualSidesPassAndAnotherNumberIsAnError) {
  Called called;
  called.golden.outputs = {doubles(2, 4), doubles(2, 4)};
  called.device.outputs = {floats(2, 4), floats(2, -4)};
  const auto outcome = judged(called);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(outcome.rows[0].name, "Torch.mul.0.forward.output.0");
  EXPECT_EQ(outcome.rows[0].status, Status::kPass);
  EXPECT_EQ(outcome.rows[1].name, "Torch.mul.0.forward.output.1");
  EXPECT_EQ(outcome.rows[1].status, Status::kError);
  EXPECT_EQ(outcome.api, "Torch.mul.0");
  EXPECT_EQ(outcome.forward, Status::kError);
  EXPECT_EQ(outcome.backward, Status::kBlank);
  EXPECT_EQ(outcome.reason, outcome::Reason::kNone);
  EXPECT_EQ(outcome.recorded_ulp, std::nullopt);
}

TEST_F(JudgedTest, OnlySoManyFirstOutputsAreCompared) {
  Called called;
  called.golden.outputs = {doubles(2, 4), doubles(2, 4)};
  called.device.outputs = {floats(2, 4), floats(2, -4)};
  called.judged_outputs = 1;
  const auto outcome = judged(called);
  EXPECT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.forward, Status::kPass);
}

TEST_F(JudgedTest, SidesOfDifferentResultsAreAnErrorThatNamesThem) {
  struct Case {
    std::vector<Value> golden, device;
    const char* row;
  };
  const std::vector<Case> cases = {
      {{doubles(1, 2)},
       {None{}},
       "error|golden gives torch.float64 (2,), device gives None; suspect: another kind of result"},
      {{Value(2)},
       {floats(1, 2)},
       "error|golden gives int, device gives torch.float32 (2,); suspect: another kind of result"},
      {{None{}}, {Value(at::Tensor())}, "SKIP|the call returned None here, nothing to compare"},
      {{}, {floats(1, 2)}, "error|golden gives 0 outputs, device gives 1; suspect: another number of outputs"},
      {{}, {}, "SKIP|the call returned nothing to compare"},
  };
  for (const Case& c : cases) {
    Called called;
    called.golden.outputs = c.golden;
    called.device.outputs = c.device;
    const auto outcome = judged(called);
    ASSERT_EQ(outcome.rows.size(), 1u);
    EXPECT_EQ(verdict(outcome.rows[0]), c.row);
    const bool skipped = outcome.forward == Status::kSkip;
    EXPECT_EQ(outcome.message, skipped ? outcome.rows[0].message : "forward.output.0: " + outcome.rows[0].message);
  }
}

TEST_F(JudgedTest, TheMessageTellsAllStepsInOrderAndNothingTwice) {
  Called called;
  called.golden.outputs = {doubles(2, 4)};
  called.device.outputs = {floats(2, 4)};
  called.notes = {"called as linalg_svd", "", "golden: mine.pt", "called as linalg_svd"};
  called.gradients.notes = {"gradients given by the record", "golden: mine.pt"};
  const auto outcome = judged(called);
  EXPECT_THAT(outcome.message,
              testing::EndsWith("called as linalg_svd; golden: mine.pt; gradients given by the record"));
}

TEST_F(JudgedTest, AGradientOfOneSideAloneIsAnError) {
  Called called;
  called.golden.outputs = {doubles(2, 4)};
  called.device.outputs = {floats(2, 4)};
  const at::Tensor none, carries = at::ones({2}).requires_grad_(true), plain = at::ones({2});
  const at::Tensor g = at::ones({2}, at::kDouble), d = at::ones({2});
  called.device.leaves = {carries, carries, carries, carries, plain};
  called.gradients.golden = {g, g, none, none, none};
  called.gradients.device = {d, none, d, none, none};
  const auto outcome = judged(called, /*backward=*/true);
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_EQ(outcome.backward, Status::kError);
  ASSERT_EQ(outcome.rows.size(), 6u);
  EXPECT_EQ(outcome.rows[1].name, "Torch.mul.0.backward.output.0");
  EXPECT_EQ(outcome.rows[1].status, Status::kPass);
  EXPECT_EQ(verdict(outcome.rows[2]),
            "error|a gradient reached this input only on the golden side; suspect: a gradient on one side alone");
  EXPECT_EQ(verdict(outcome.rows[3]),
            "error|a gradient reached this input only on the device side; suspect: a gradient on one side alone");
  EXPECT_EQ(verdict(outcome.rows[4]), "SKIP|no gradient reached this input");
  EXPECT_EQ(verdict(outcome.rows[5]), "SKIP|this input does not require a gradient");
}

TEST_F(JudgedTest, ABackwardThatDidNotRunIsSkipWithItsReason) {
  Called called;
  called.golden.outputs = {doubles(2, 4)};
  called.device.outputs = {floats(2, 4)};
  called.gradients.not_run = "backward raised: no kernel";
  called.gradients.device = {at::ones({2})};  // the golden's raised
  const auto outcome = judged(called, /*backward=*/true);
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_EQ(outcome.backward, Status::kSkip);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(verdict(outcome.rows[1]), "SKIP|backward raised: no kernel");
  EXPECT_THAT(outcome.message, testing::EndsWith("backward raised: no kernel"));
}

TEST_F(JudgedTest, DropoutIsJudgedWithoutRowsInProfileMindstudio) {
  for (const auto profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
    Dumped dumped("Functional.dropout.0", /*real_data=*/false);
    dumped.options.inputs.profile = profile;
    dumped.args = {dumped.tensor(at::ones({2}))};
    const Rebuilt rebuilt = dumped.rebuilt();
    Called called;
    called.golden.outputs = {doubles(2, 0)};
    called.device.outputs = {floats(2, 0)};
    const auto outcome = judge(dumped.session(), rebuilt, called);
    EXPECT_EQ(outcome.forward, Status::kPass);
    EXPECT_EQ(outcome.rows.empty(), profile == config::Profile::kMindstudio);
  }
}

}  // namespace
}  // namespace msprobe::check
