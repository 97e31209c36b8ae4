// The golden answers the question that the device was asked (docs/execution.md#what-the-golden-is-asked). Numbers are
// PyTorch 2.13's in Python, or worked out by hand where a comment says how.
#include <gmock/gmock.h>
#include <torch/version.h>

#include "check/called.h"
#include "check/changed_arguments.h"
#include "check/dumped.h"
#include "check/in_float64.h"
#include "check/judged.h"
#include "goldens/low_precision.h"
#include "inputs/precision.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Status;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const kTrue = R"({"type": "bool", "value": true})";
const char* const kFalse = R"({"type": "bool", "value": false})";

std::string number(double x) {
  return R"({"type": "float", "value": )" + std::to_string(x) + "}";
}

at::Tensor column(std::vector<double> values) {
  return at::tensor(values, at::kDouble).to(at::kFloat).unsqueeze(1);
}

Called called(Dumped& dumped, const Rebuilt& rebuilt) {
  return call(dumped.session(), rebuilt, find_ways(dumped.session(), rebuilt));
}

double first(const Side& side) {
  return side.outputs.at(0).get<at::Tensor>().item<double>();
}

// F.linear([[1.003]], [[3.01]], [0.1]) under torch.autocast(bfloat16): the inputs become 1, 3.015625 and 0.10009765625.
void linear_under_autocast(Dumped& dumped) {
  dumped.args = {dumped.tensor(column({1.003}), true), dumped.tensor(column({3.01}), true),
                 dumped.tensor(at::full({1}, 0.1F), true)};
  dumped.outputs = {dumped.tensor(at::full({1, 1}, 3.109375, at::kBFloat16), true)};
  dumped.gradients = {dumped.tensor(at::full({1, 1}, 3.015625, at::kBFloat16))};
}

TEST(Autocast, TheGoldenGetsTheInputsThatItRounded) {
  Dumped dumped("Functional.linear.0");
  linear_under_autocast(dumped);
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  EXPECT_THAT(both.device.rounded.tensors, ElementsAre(0, 1, 2));
  EXPECT_EQ(both.device.rounded.dtype, at::kBFloat16);
  EXPECT_EQ(first(both.golden), 3.015625 + 0.10009765625);
  EXPECT_EQ(first(both.device), 3.109375);  // the same, rounded
  EXPECT_THAT(both.notes, testing::Contains("golden with inputs rounded to torch.bfloat16, as autocast did"));
  // Gradients of the rounded values arrive at the leaves: 3.015625 * 3.015625, 3.015625 * 1.
  EXPECT_EQ(both.gradients.golden.at(0).item<double>(), 9.093994140625);
  EXPECT_EQ(both.gradients.golden.at(1).item<double>(), 3.015625);
  EXPECT_EQ(both.gradients.device.at(0).item<double>(), 9.125);
}

// 9.125 is off by 0.0034 of 9.094, within bfloat16's 双百指标; float32's 双千指标 would make it an error.
TEST(Autocast, AGradientThatLeavesItIsJudgedByItsDtype) {
  Dumped dumped("Functional.linear.0");
  linear_under_autocast(dumped);
  const auto outcome = dumped.check();
  ASSERT_EQ(outcome.rows.size(), 4u);
  const outcome::Row& gradient = outcome.rows[1];
  EXPECT_EQ(gradient.device_dtype, "torch.float32");
  EXPECT_EQ(gradient.status, Status::kWarning);
  EXPECT_THAT(gradient.message, HasSubstr("limits of torch.bfloat16: a gradient that left autocast"));
  EXPECT_NEAR(*gradient[outcome::Figure::kMaxUlp], (9.125 - 9.093994140625) / 0.0625, 1e-9);
  EXPECT_THAT(outcome.message, HasSubstr("golden with inputs rounded to torch.bfloat16, as autocast did"));
}

TEST(Autocast, ProfileMindstudioRoundsNothing) {
  Dumped dumped("Functional.linear.0");
  linear_under_autocast(dumped);
  dumped.options.inputs.profile = config::Profile::kMindstudio;
  const auto outcome = dumped.check();
  ASSERT_EQ(outcome.rows.size(), 4u);
  EXPECT_THAT(outcome.message, testing::Not(HasSubstr("as autocast did")));
  EXPECT_EQ(outcome.rows[1].status, Status::kError);
}

// The input is bfloat16, the weights are float32, and no operator of layer_norm's casts them.
TEST(Autocast, MixedDtypesAloneAreNoCast) {
  Dumped dumped("Functional.layer_norm.0");
  dumped.args = {dumped.tensor(at::tensor({1.0, 2.0, 4.0}).to(at::kBFloat16)), "[" + Dumped::integer(3) + "]",
                 dumped.tensor(at::full({3}, 1.003F)), dumped.tensor(at::full({3}, 0.1F))};
  dumped.outputs = {dumped.tensor(at::tensor({-0.97, -0.169, 1.44}).to(at::kBFloat16))};
  const Rebuilt rebuilt = dumped.rebuilt();
  ASSERT_EQ(rebuilt.autocast, at::kBFloat16);
  const Called both = called(dumped, rebuilt);
  EXPECT_THAT(both.device.rounded.tensors, testing::IsEmpty());
  for (const std::string& note : both.notes) EXPECT_THAT(note, testing::Not(HasSubstr("autocast did")));
}

// A cast that the program makes is no autocast's, though its dtypes look the same.
TEST(Autocast, ACastOfTheProgramRoundsNothing) {
  Dumped dumped("Tensor.bfloat16.0");
  dumped.args = {dumped.tensor(column({1.003}))};
  dumped.outputs = {dumped.tensor(at::ones({1, 1}, at::kBFloat16))};
  const Rebuilt rebuilt = dumped.rebuilt();
  ASSERT_EQ(rebuilt.autocast, at::kBFloat16);
  EXPECT_THAT(called(dumped, rebuilt).device.rounded.tensors, testing::IsEmpty());
}

// Python's casts, as a torch dispatch mode shows them: parts of in_proj_weight and in_proj_bias, the inputs and the
// output projection, each inside a linear. query, key, value, in_proj_weight, in_proj_bias, out_proj_weight and _bias.
void multi_head_attention(Dumped& dumped, bool self_attention) {
  float value = 0.3F;
  const auto tensor = [&](at::IntArrayRef shape) {
    if (!self_attention) value += 0.1F;
    return dumped.tensor(at::full(shape, value));
  };
  dumped.args = {tensor({3, 1, 4}),
                 tensor({3, 1, 4}),
                 tensor({3, 1, 4}),
                 Dumped::integer(4),
                 Dumped::integer(2),
                 tensor({12, 4}),
                 tensor({12}),
                 "null",
                 "null",
                 kFalse,
                 number(0),
                 tensor({4, 4}),
                 tensor({4})};
  dumped.kwargs = {{"need_weights", kFalse}};
  dumped.outputs = {dumped.tensor(at::zeros({3, 1, 4}, at::kBFloat16)), "null"};
}

// In self-attention the program gave one tensor three times, and one product makes all three projections.
TEST(Autocast, CastsWithinACompositeAreSeen) {
  for (const bool self_attention : {false, true}) {
    Dumped dumped("Functional.multi_head_attention_forward.0");
    multi_head_attention(dumped, self_attention);
    const Rebuilt rebuilt = dumped.rebuilt();
    const Called both = called(dumped, rebuilt);
    EXPECT_THAT(both.device.rounded.tensors, ElementsAre(0, 1, 2, 3, 4, 5, 6)) << self_attention;
  }
}

struct DropoutCase {
  const char* api;
  std::vector<std::string> args;  // behind the input
  std::vector<std::pair<std::string, std::string>> kwargs;
  bool by_zeros;
};

TEST(Dropout, WhatDrawsNothingIsJudgedByValue) {
  const std::vector<DropoutCase> cases = {
      {"Functional.dropout.0", {number(0.5)}, {}, true},
      {"Functional.dropout.0", {number(0)}, {}, false},
      {"Functional.dropout.0", {number(1)}, {}, false},
      {"Functional.dropout.0", {}, {}, true},
      {"Functional.dropout.0", {number(0.5), kFalse}, {}, false},
      {"Functional.dropout.0", {}, {{"p", number(0.5)}, {"training", kFalse}}, false},
      {"Functional.dropout.0", {}, {{"p", number(0)}, {"training", kTrue}, {"inplace", kTrue}}, false},
      {"Functional.dropout1d.0", {number(0)}, {}, false},
      {"Functional.dropout2d.0", {number(0.5)}, {{"training", kFalse}}, false},
      {"Functional.dropout3d.0", {number(0.5)}, {}, true},
      {"Functional.alpha_dropout.0", {number(0.5)}, {}, false},  // training=False is its default
      {"Functional.feature_alpha_dropout.0", {number(0), kTrue}, {}, false},
      {"Torch.dropout.0", {number(0.5), kFalse}, {}, false},
      {"Torch.dropout_.0", {number(0), kTrue}, {}, false},
      {"Torch.feature_dropout.0", {number(0.5), kTrue}, {}, true},
      {"Torch.feature_dropout_.0", {number(1), kTrue}, {}, false},
      {"Torch.alpha_dropout_.0", {number(0), kTrue}, {}, false},
      {"Torch.native_dropout.0", {number(0), kTrue}, {}, false},
      {"Torch._fused_dropout.0", {number(0)}, {}, true},  // its p is the share that stays
  };
  for (const DropoutCase& c : cases) {
    Dumped dumped(c.api, /*real_data=*/false);
    const bool one_dimension = std::string_view(c.api).find("1d") != std::string_view::npos;
    dumped.args = {dumped.tensor(one_dimension ? at::ones({2, 2, 2}) : at::ones({2, 2, 2, 2}))};
    dumped.args.insert(dumped.args.end(), c.args.begin(), c.args.end());
    dumped.kwargs = c.kwargs;
    EXPECT_EQ(dumped.rebuilt().dropout, c.by_zeros) << c.api << " " << testing::PrintToString(c.args);
    dumped.options.inputs.profile = config::Profile::kMindstudio;
    if (std::string_view(c.api).find("alpha") != std::string_view::npos) continue;
    EXPECT_TRUE(dumped.rebuilt().dropout) << c.api;
  }
}

TEST(Dropout, AWrongValueOfOneThatDrawsNothingIsAnError) {
  for (const double p : {0.0, 0.5}) {
    Dumped dumped("Functional.dropout.0");
    dumped.args = {dumped.tensor(at::ones({200})), number(p)};
    const Rebuilt rebuilt = dumped.rebuilt();
    Called both;
    both.golden.outputs = {Value(at::ones({200}, at::kDouble))};
    both.device.outputs = {Value(at::full({200}, 2.0F))};  // no zeros on either side
    EXPECT_EQ(judge(dumped.session(), rebuilt, both).forward, p == 0 ? Status::kError : Status::kPass) << p;
  }
}

TEST(Dropout, InTrainingAlphaDropoutIsRandomStill) {
  Dumped dumped("Functional.alpha_dropout.0");
  dumped.args = {dumped.tensor(at::ones({4})), number(0.3), kTrue};
  EXPECT_THAT(dumped.check().message, HasSubstr("its output is random with training=true"));
}

// y = x @ w.T + b: with a gradient of 2, x has 2 w, w has 2 x, b has 2.
TEST(KeywordGradients, FollowThoseOfThePositionalArguments) {
  Dumped dumped("Functional.linear.0");
  dumped.args = {dumped.tensor(column({3}), true)};
  dumped.kwargs = {{"weight", dumped.tensor(column({5}), true)}, {"bias", dumped.tensor(at::ones({1}), true)}};
  dumped.outputs = {dumped.tensor(column({16}), true)};
  dumped.gradients = {dumped.tensor(column({2}))};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  ASSERT_EQ(both.gradients.golden.size(), 3u);
  const std::vector<double> expected = {10, 6, 2};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(both.gradients.golden[i].item<double>(), expected[i]);
  const auto outcome = judge(dumped.session(), rebuilt, both);
  ASSERT_EQ(outcome.rows.size(), 4u);
  EXPECT_EQ(outcome.rows[2].name, "Functional.linear.0.backward.output.1");
  for (const auto& row : outcome.rows) EXPECT_EQ(row.status, Status::kPass) << row.message;
}

TEST(KeywordGradients, OneWithoutAGradientHasNoRowBesidePositionalOnes) {
  Dumped dumped("Torch.where.0");
  dumped.args = {dumped.tensor(at::ones({1}), true)};
  dumped.kwargs = {{"other", dumped.tensor(at::ones({1}))}};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Side side = prepare_device(dumped.session(), rebuilt, false);
  EXPECT_EQ(side.leaves.size(), 1u);
  EXPECT_THAT(side.leaf_places, ElementsAre(0));
}

TEST(KeywordGradients, ProfileMindstudioLeavesThemOut) {
  Dumped dumped("Functional.linear.0");
  dumped.args = {dumped.tensor(column({3}), true)};
  dumped.kwargs = {{"weight", dumped.tensor(column({5}), true)}};
  dumped.options.inputs.profile = config::Profile::kMindstudio;
  const Rebuilt rebuilt = dumped.rebuilt();
  EXPECT_EQ(prepare_device(dumped.session(), rebuilt, false).leaves.size(), 1u);
}

// Of [1, 3]: mean 2, unbiased variance 2; momentum 0.1 makes 0 to 0.2 and 1 to 0.9 + 0.2.
void batch_norm(Dumped& dumped, const char* training) {
  dumped.args = {dumped.tensor(column({1, 3})), dumped.tensor(at::zeros({1})), dumped.tensor(at::ones({1}))};
  dumped.kwargs = {{"training", training}};
  dumped.outputs = {dumped.tensor(column({-1, 1}))};
}

TEST(ChangedArguments, RunningStatisticsAreFurtherForwardRows) {
  Dumped dumped("Functional.batch_norm.0");
  batch_norm(dumped, kTrue);
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  const auto changed = changed_arguments(dumped.session(), rebuilt, both);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "running_mean");
  EXPECT_NEAR(changed[0].golden.item<double>(), 0.2, 1e-15);
  EXPECT_NEAR(changed[0].device.item<double>(), 0.2, 1e-7);
  EXPECT_NEAR(changed[1].golden.item<double>(), 1.1, 1e-15);
  const auto outcome = judge(dumped.session(), rebuilt, both);
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.rows[2].name, "Functional.batch_norm.0.forward.output.2");
  EXPECT_EQ(outcome.rows[2].status, Status::kPass);
  EXPECT_THAT(outcome.rows[2].message, testing::StartsWith("argument running_var after the call; "));
}

TEST(ChangedArguments, AStatisticThatTheDeviceLeavesAloneIsAnError) {
  Dumped dumped("Functional.batch_norm.0");
  batch_norm(dumped, kTrue);
  const Rebuilt rebuilt = dumped.rebuilt();
  Called both = called(dumped, rebuilt);
  both.device.arguments.args[1].get<at::Tensor>().zero_();
  const auto outcome = judge(dumped.session(), rebuilt, both);
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.rows[1].status, Status::kError);
  EXPECT_EQ(outcome.forward, Status::kError);
}

TEST(ChangedArguments, WhatTheCallDoesNotChangeHasNoRow) {
  Dumped evaluating("Functional.batch_norm.0");
  batch_norm(evaluating, kFalse);
  EXPECT_EQ(evaluating.check().rows.size(), 1u);
  Dumped without("Functional.batch_norm.0");
  batch_norm(without, kTrue);
  without.args[1] = without.args[2] = "null";
  EXPECT_EQ(without.check().rows.size(), 1u);
  Dumped mindstudio("Functional.batch_norm.0");
  batch_norm(mindstudio, kTrue);
  mindstudio.options.inputs.profile = config::Profile::kMindstudio;
  EXPECT_EQ(mindstudio.check().rows.size(), 1u);
}

// aten::batch_norm takes weight and bias before them.
TEST(ChangedArguments, ThePlaceIsThatOfTheApisOwnSignature) {
  Dumped dumped("Torch.batch_norm.0");
  dumped.args = {dumped.tensor(column({1, 3})),
                 "null",
                 "null",
                 dumped.tensor(at::zeros({1})),
                 dumped.tensor(at::ones({1})),
                 kTrue,
                 number(0.1),
                 number(1e-5),
                 kFalse};
  dumped.outputs = {dumped.tensor(column({-1, 1}))};
  const auto outcome = dumped.check();
  ASSERT_EQ(outcome.rows.size(), 3u) << outcome.message;
  EXPECT_THAT(outcome.rows[1].message, testing::StartsWith("argument running_mean after the call"));
}

// [3, 4] has norm 5 and shrinks to norm 1, [0.3, 0.4] is not looked up, and shorter.
TEST(ChangedArguments, AnEmbeddingsWeightUnderMaxNorm) {
  Dumped dumped("Functional.embedding.0");
  dumped.args = {dumped.tensor(at::zeros({1}, at::kLong)),
                 dumped.tensor(at::tensor({3.0F, 4.0F, 0.3F, 0.4F}).reshape({2, 2}))};
  dumped.kwargs = {{"max_norm", number(1)}};
  dumped.outputs = {dumped.tensor(at::tensor({0.6F, 0.8F}).unsqueeze(0))};
  const Rebuilt rebuilt = dumped.rebuilt();
  const auto changed = changed_arguments(dumped.session(), rebuilt, called(dumped, rebuilt));
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].name, "weight");
  EXPECT_NEAR(changed[0].golden[0][0].item<double>(), 0.6, 1e-6);
  EXPECT_EQ(changed[0].device[1][1].item<float>(), 0.4F);
  dumped.kwargs.clear();
  EXPECT_EQ(dumped.check().rows.size(), 1u);
}

// The schema marks them: exp_avg = 0.1 * 0.5, exp_avg_sq = 0.001 * 0.25.
TEST(ChangedArguments, MomentsOfAFusedOptimizer) {
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 4
  GTEST_SKIP() << "no such kernel on the CPU";
#endif
  Dumped dumped("Torch._fused_adam_.0");
  const auto list = [&](double x) { return "[" + dumped.tensor(at::full({1}, x, at::kFloat)) + "]"; };
  dumped.args = {list(1), list(0.5), list(0), list(0), "[]", list(1)};
  dumped.kwargs = {{"lr", number(0.1)},   {"beta1", number(0.9)}, {"beta2", number(0.999)}, {"weight_decay", number(0)},
                   {"eps", number(1e-8)}, {"amsgrad", kFalse},    {"maximize", kFalse}};
  dumped.outputs = {"null"};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  const auto changed = changed_arguments(dumped.session(), rebuilt, both);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "exp_avgs[0]");
  EXPECT_NEAR(changed[0].golden.item<double>(), 0.05, 1e-15);
  EXPECT_EQ(changed[1].name, "exp_avg_sqs[0]");
  EXPECT_NEAR(changed[1].golden.item<double>(), 0.00025, 1e-15);
  const auto outcome = judge(dumped.session(), rebuilt, both);
  ASSERT_EQ(outcome.rows.size(), 3u);  // the parameters themselves first
  EXPECT_EQ(outcome.rows[1].message.substr(0, 36), "argument exp_avgs[0] after the call;");
}

inputs::Arguments golden_of(Dumped& dumped, const Rebuilt& rebuilt) {
  return in_float64(dumped.session(), rebuilt,
                    inputs::golden_arguments(rebuilt.inputs, rebuilt.name(), config::Profile::kDocumented));
}

TEST(InFloat64, FlagsOfLowPrecisionAreNotSet) {
  for (const bool by_keyword : {false, true}) {
    Dumped dumped("Torch._softmax.0");
    dumped.args = {dumped.tensor(at::ones({2}, at::kHalf)), Dumped::integer(0)};
    if (by_keyword)
      dumped.kwargs = {{"half_to_float", kTrue}};
    else
      dumped.args.emplace_back(kTrue);
    const Rebuilt rebuilt = dumped.rebuilt();
    const inputs::Arguments golden = golden_of(dumped, rebuilt);
    EXPECT_FALSE((by_keyword ? *golden.kwarg("half_to_float") : golden.args.at(2)).get<bool>());
    // LibTorch takes it then: softmax of two equal numbers.
    const auto way = golden_in_float64(dumped.session(), rebuilt, find_ways(dumped.session(), rebuilt).candidates[0]);
    EXPECT_TRUE(way.call(golden).get<at::Tensor>().equal(at::full({2}, 0.5, at::kDouble)));
  }
}

TEST(InFloat64, OutDtypeOfAProductIsLeftOut) {
  for (const bool by_keyword : {false, true}) {
    Dumped dumped("Torch.mm.0");
    dumped.args = {dumped.tensor(at::ones({2, 2}, at::kHalf)), dumped.tensor(at::ones({2, 2}, at::kHalf))};
    if (by_keyword)
      dumped.kwargs = {{"out_dtype", "{}"}};
    else
      dumped.args.emplace_back(R"({"type": "torch.dtype", "value": "torch.float32"})");
    dumped.outputs = {dumped.tensor(at::full({2, 2}, 2.0F))};
    const Rebuilt rebuilt = dumped.rebuilt();
    EXPECT_EQ(rebuilt.lost_dtype, by_keyword ? std::optional(at::kFloat) : std::nullopt);
    const inputs::Arguments golden = golden_of(dumped, rebuilt);
    EXPECT_EQ(golden.args.size(), 2u);
    EXPECT_EQ(golden.kwargs.size(), 0u);
  }
}

TEST(InFloat64, ALostKeywordIsTheRecordedOutputsDtypeAndNoAutocast) {
  Dumped dumped("Torch._scaled_mm.0", /*real_data=*/false);
  const auto matrix = [&] { return dumped.tensor(at::ones({16, 16}).to(at::kFloat8_e4m3fn)); };
  dumped.args = {matrix(), matrix(), dumped.tensor(at::ones({})), dumped.tensor(at::ones({}))};
  dumped.kwargs = {{"out_dtype", "{}"}};
  dumped.outputs = {dumped.tensor(at::ones({16, 16}, at::kBFloat16))};
  const Rebuilt rebuilt = dumped.rebuilt();
  EXPECT_EQ(rebuilt.lost_dtype, at::kBFloat16);
  EXPECT_EQ(rebuilt.autocast, std::nullopt);
}

// 32 products of 1.5 * 0.3 and 2 * 0.25, 0.3 being float32's; bfloat16 has 7.1875 of it.
TEST(InFloat64, AScaledProductIsThatOfItsInputsAndScales) {
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 8
  GTEST_SKIP() << "no such kernel on the CPU, or another signature";
#endif
  Dumped dumped("Torch._scaled_mm.0");
  const at::Tensor a = at::full({16, 32}, 1.5F).to(at::kFloat8_e4m3fn);
  const at::Tensor b = at::full({16, 32}, 2.0F).to(at::kFloat8_e4m3fn);
  dumped.args = {dumped.tensor(a), dumped.tensor(b.t()), dumped.tensor(at::full({}, 0.3F)),
                 dumped.tensor(at::full({}, 0.25F))};
  dumped.kwargs = {{"out_dtype", "{}"}};
  dumped.outputs = {dumped.tensor(at::full({16, 16}, 7.1875, at::kBFloat16))};
  const Rebuilt rebuilt = dumped.rebuilt();
  const Called both = called(dumped, rebuilt);
  const auto& golden = both.golden.outputs.at(0).get<at::Tensor>();
  const auto& device = both.device.outputs.at(0).get<at::Tensor>();
  EXPECT_EQ(golden.scalar_type(), at::kDouble);
  EXPECT_NEAR(golden[3][5].item<double>(), 32 * 1.5 * static_cast<double>(0.3F) * 2 * 0.25, 1e-12);
  EXPECT_EQ(device.scalar_type(), at::kBFloat16);
  EXPECT_EQ(device[3][5].item<float>(), 7.1875F);
}

Value scaled_mm(const at::Tensor& a, const at::Tensor& b, const at::Tensor& scale_a, const at::Tensor& scale_b) {
  return goldens::find_low_precision("_scaled_mm")->call({{Value(a), Value(b), Value(scale_a), Value(scale_b)}, {}});
}

// One scale a row of the first matrix and a column of the second; one a block of two.
TEST(InFloat64, ScalesOfRowsAndBlocks) {
  const at::Tensor ones = at::ones({2, 4}, at::kDouble), other = at::ones({4, 2}, at::kDouble);
  const auto doubles = [](std::vector<double> x, at::IntArrayRef shape) {
    return at::tensor(x, at::kDouble).reshape(shape);
  };
  const auto rows = scaled_mm(ones, other, doubles({1, 2}, {2, 1}), doubles({3, 5}, {1, 2})).get<at::Tensor>();
  EXPECT_TRUE(rows.equal(doubles({12, 20, 24, 40}, {2, 2})));  // 4 * scale of row * scale of column
  const auto blocks = scaled_mm(ones, other, doubles({1, 2, 3, 4}, {2, 2}), at::ones({}, at::kDouble));
  EXPECT_TRUE(blocks.get<at::Tensor>().equal(doubles({6, 6, 14, 14}, {2, 2})));  // 2 * (1 + 2), 2 * (3 + 4)
  EXPECT_ANY_THROW(scaled_mm(ones, other, doubles({1, 2, 3}, {3}), at::ones({}, at::kDouble)));
}

// Rows 0 and 1 times the first matrix, row 2 times the second.
TEST(InFloat64, GroupsOfRows) {
  const at::Tensor a = at::ones({3, 2}, at::kDouble);
  const at::Tensor b = at::stack({at::full({2, 1}, 1.0, at::kDouble), at::full({2, 1}, 5.0, at::kDouble)});
  const at::Tensor ends = at::tensor({2, 3}, at::kInt);
  const auto* golden = goldens::find_low_precision("_grouped_mm");
  const auto result = golden->call({{Value(a), Value(b), Value(ends)}, {}}).get<at::Tensor>();
  EXPECT_TRUE(result.equal(at::tensor({2.0, 2.0, 10.0}, at::kDouble).unsqueeze(1)));
}

}  // namespace
}  // namespace msprobe::check
