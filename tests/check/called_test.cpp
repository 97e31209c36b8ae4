// Both sides of a call, forward and backward, before anything is judged.
#include "check/called.h"

#include <gmock/gmock.h>

#include "check/dumped.h"

namespace msprobe::check {
namespace {

Called called(Dumped& dumped, const Rebuilt& rebuilt) {
  return call(dumped.session(), rebuilt, find_ways(dumped.session(), rebuilt));
}

const at::Tensor& output(const Side& side) {
  return side.outputs.at(0).get<at::Tensor>();
}

// 1/3 is rounded to float32 once; the golden divides in float64.
TEST(Called, TheDeviceComputesInTheRecordedDtypeAndTheGoldenInFloat64) {
  Dumped dumped("Torch.div.0");
  dumped.args = {dumped.tensor(at::ones({1}), true), dumped.tensor(at::full({1}, 3.0F))};
  dumped.outputs = {dumped.tensor(at::full({1}, 1.0F / 3), true)};
  dumped.gradients = {dumped.tensor(at::full({1}, 6.0F))};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_EQ(output(both.device).scalar_type(), at::kFloat);
  EXPECT_EQ(output(both.device).item<float>(), 1.0F / 3);
  EXPECT_EQ(output(both.golden).scalar_type(), at::kDouble);
  EXPECT_EQ(output(both.golden).item<double>(), 1.0 / 3);
  EXPECT_EQ(both.how, "aten::div");
  EXPECT_EQ(both.gradients.not_run, "");
  ASSERT_EQ(both.gradients.golden.size(), 2u);
  EXPECT_EQ(both.gradients.golden[0].item<double>(), 2.0);  // 6 / 3
  EXPECT_EQ(both.gradients.device[0].item<float>(), 2.0F);
  EXPECT_FALSE(both.gradients.golden[1].defined());
}

TEST(Called, WhatWasRebuiltStaysAsItWas) {
  Dumped dumped("Tensor.mul_.0");
  dumped.args = {dumped.tensor(at::full({2}, 3.0F)), Dumped::integer(5)};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_TRUE(output(both.device).equal(at::full({2}, 15.0F)));
  EXPECT_TRUE(output(both.golden).equal(at::full({2}, 15.0, at::kDouble)));
  EXPECT_TRUE(rebuilt.inputs.args[0].get<at::Tensor>().equal(at::full({2}, 3.0F)));
  EXPECT_FALSE(both.changed_argument);  // mul_ returns it
}

TEST(Called, ACallThatReturnsNothingIsSeenByTheArgumentThatItChanged) {
  Dumped dumped("Tensor.__setitem__.0");
  dumped.args = {dumped.tensor(at::zeros({3})), Dumped::integer(1), Dumped::integer(7)};
  dumped.outputs = {"null"};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_TRUE(both.changed_argument);
  EXPECT_TRUE(output(both.device).equal(at::tensor({0.0F, 7.0F, 0.0F})));
}

// No float64 kernel exists: the golden keeps float32, and says so.
TEST(Called, AGoldenThatCannotBeRaisedKeepsTheRecordedPrecision) {
  Dumped dumped("Torch.quantize_per_tensor.0");
  dumped.args = {dumped.tensor(at::tensor({0.1F, 0.5F})), R"({"type": "float", "value": 0.1})", Dumped::integer(0)};
  dumped.kwargs = {{"dtype", R"({"type": "torch.dtype", "value": "torch.qint8"})"}};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_THAT(both.notes, testing::Contains(testing::StartsWith(
                              "golden in the recorded precision, since raised to float64 the call fails: ")));
  EXPECT_EQ(both.golden.leaves.at(0).scalar_type(), at::kFloat);
}

TEST(Called, AnErrorOfBackwardIsNoErrorOfTheCall) {
  Dumped dumped("Torch.mul.0");
  dumped.args = {dumped.tensor(at::ones({2}), true), Dumped::integer(2)};
  dumped.outputs = {dumped.tensor(at::full({2}, 2.0F), true)};
  dumped.gradients = {dumped.tensor(at::ones({3}))};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_TRUE(output(both.device).equal(at::full({2}, 2.0F)));
  EXPECT_EQ(both.gradients.not_run,
            "backward not run: recorded gradients of shapes (3,) do not meet the outputs that can carry one: (2,)");
  EXPECT_TRUE(both.gradients.device.empty());
}

TEST(Called, WhatTheCallThrowsPassesThrough) {
  Dumped dumped("Torch.matmul.0");
  dumped.args = {dumped.tensor(at::ones({2, 3})), dumped.tensor(at::ones({2, 3}))};
  const Rebuilt rebuilt = dumped.rebuilt();
  EXPECT_THROW(called(dumped, rebuilt), c10::Error);
}

}  // namespace
}  // namespace msprobe::check
