#include "check/backward.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace msprobe::check {
namespace {

using inputs::None;
using inputs::Value;

Value output(std::vector<int64_t> shape, bool carries = true) {
  return Value(at::zeros(shape).requires_grad_(carries));
}
Value indices(std::vector<int64_t> shape) {
  return Value(at::zeros(shape, at::kLong));
}
Value gradient(std::vector<int64_t> shape) {
  return Value(at::ones(shape));
}

using Pairs = std::vector<std::pair<size_t, size_t>>;
Pairs pairs(const GradientPlan& p) {
  Pairs out;
  for (size_t i = 0; i < p.outputs.size(); ++i) out.emplace_back(p.outputs[i], p.gradients[i]);
  return out;
}

struct Case {
  const char* rule;
  std::vector<Value> outputs, gradients;
  Pairs expected;
  const char* refusal;
};

TEST(RunBackward, AnOutputThatTheCallDoesNotGiveIsAnError) {
  const at::Tensor leaf = at::ones({2}).requires_grad_(true);
  GradientPlan plan;
  plan.outputs = {1};
  plan.gradients = {0};
  const std::vector<Value> one{Value(leaf * 2)}, two{Value(leaf), Value(leaf * 3)}, gradients{gradient({2})};
  EXPECT_THROW(run_backward(one, gradients, plan, {leaf}), std::exception);
  EXPECT_TRUE(run_backward(two, gradients, plan, {leaf})[0].equal(at::full({2}, 3.0f)));
}

TEST(PlanGradients, FollowsTheOrderOfTrying) {
  const std::vector<Case> cases = {
      {"one for one", {output({2, 3})}, {gradient({2, 3})}, {{0, 0}}, ""},
      {"node with more outputs than the call (group_norm)",
       {output({4})},
       {gradient({4}), None{}, None{}},
       {{0, 0}},
       ""},
      {"null stands for an unused output of the same shape",
       {output({2, 4}), output({2, 4})},
       {None{}, gradient({2, 4})},
       {{1, 1}},
       ""},
      {"values and indices (topk): one gradient", {output({3}), indices({3})}, {gradient({3})}, {{0, 0}}, ""},
      {"values and indices with a null", {output({3}), indices({3})}, {gradient({3}), None{}}, {{0, 0}}, ""},
      {"fewer gradients than outputs, shapes decide",
       {output({1, 4}), output({2, 4}), output({3, 4})},
       {gradient({3, 4}), gradient({1, 4})},
       {{2, 0}, {0, 1}},
       ""},
      {"ambiguous shapes are refused",
       {output({2}), output({2}), output({2})},
       {gradient({2}), gradient({2})},
       {},
       "recorded gradients of shapes (2,), (2,) do not meet the outputs that can carry one: (2,), (2,), (2,)"},
      {"no gradient recorded", {output({2})}, {None{}}, {}, "no gradient was recorded for any output"},
      {"nothing can carry one",
       {output({2}, false)},
       {gradient({2})},
       {},
       "no output of the replay can carry a gradient"},
      {"another shape is refused",
       {output({2})},
       {gradient({5})},
       {},
       "recorded gradients of shapes (5,) do not meet the outputs that can carry one: (2,)"},
  };
  for (const auto& c : cases) {
    auto plan = plan_gradients(c.outputs, c.gradients);
    EXPECT_EQ(pairs(plan), c.expected) << c.rule;
    EXPECT_EQ(plan.refusal, c.refusal) << c.rule;
  }
}

TEST(RunBackward, SumsContributionsAndLeavesUnreachedInputsUndefined) {
  auto a = at::tensor({1.0, 2.0}).requires_grad_(true), b = at::tensor({3.0, 4.0}).requires_grad_(true);
  auto c = at::tensor({5.0, 6.0}).requires_grad_(true), d = at::tensor({7.0, 8.0});
  std::vector<Value> outputs{Value(a * b), Value(a + a)};
  std::vector<Value> gradients{Value(at::tensor({1.0f, 10.0f})),
                               Value(at::tensor({100.0f, 1000.0f}))};  // float: cast to double
  auto result = run_backward(outputs, gradients, plan_gradients(outputs, gradients), {a, b, c, d});
  ASSERT_EQ(result.size(), 4u);
  EXPECT_TRUE(at::equal(result[0], at::tensor({3.0 + 200.0, 40.0 + 2000.0})));
  EXPECT_TRUE(at::equal(result[1], at::tensor({1.0, 20.0})));
  EXPECT_FALSE(result[2].defined());
  EXPECT_FALSE(result[3].defined());
}

}  // namespace
}  // namespace msprobe::check
