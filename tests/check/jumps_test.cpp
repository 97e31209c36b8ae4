// Functions that jump: what the golden is asked, and on which side of a jump it is taken.
#include "check/jumps.h"

#include "check/dumped.h"
#include "check/judged.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Status;

std::string number(double x) {
  return R"({"type": "float", "value": )" + std::to_string(x) + "}";
}
std::string integers(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t n : values) text += (text.empty() ? "" : ", ") + Dumped::integer(n);
  return "[" + text + "]";
}
std::string text(const std::string& value) {
  return R"({"type": "str", "value": ")" + value + "\"}";
}

/// A call of a test, kept with what was rebuilt of it.
struct Replay {
  Replay(Dumped& dumped, Rebuilt r)
      : rebuilt(std::move(r)), session(dumped.session()), called(call(session, rebuilt, find_ways(session, rebuilt))) {}

  const at::Tensor& golden() const { return called.golden.outputs.at(0).get<at::Tensor>(); }
  at::Tensor& device() { return called.device.outputs.at(0).get<at::Tensor>(); }
  outcome::ApiOutcome judged() const { return judge(session, rebuilt, called); }

  Rebuilt rebuilt;
  const Session& session;
  Called called;
};

// ---- operands

struct OperandCase {
  const char* api;
  at::ScalarType dtype;
  std::vector<double> x;
  double other;
  std::vector<double> expected;  // what PyTorch 2.13 gives in Python
};

// Worked out in float64 the golden would give the other answer to each first element.
TEST(Jumps, NumbersAreRoundedAsPyTorchRoundsThem) {
  const double tenth = 0.100000001490116119, three = -0.300000011920928955;
  const std::vector<OperandCase> cases = {
      {"Tensor.__ge__", at::kBFloat16, {0.8984375, 0.89453125}, 0.9, {1, 0}},
      {"Torch.eq", at::kHalf, {0.0999755859375, 0.5}, 0.1, {1, 0}},
      {"Tensor.ne", at::kFloat, {tenth, 0.5}, 0.1, {0, 1}},
      {"Torch.greater", at::kFloat, {three, 0}, -0.3, {0, 1}},
      {"Torch.lt", at::kFloat, {three, -0.5}, -0.3, {0, 1}},
      {"Torch.eq", at::kHalf, {2048, 1}, 2049, {1, 0}},
      {"Torch.hardshrink", at::kBFloat16, {0.10009765625, 0.5}, 0.1, {0, 0.5}},
      {"Torch.hardshrink", at::kFloat, {tenth, 0.5}, 0.1, {0, 0.5}},
      {"Torch.remainder", at::kBFloat16, {1, 0.5, -1}, 0.1, {0.09912109375, 0.099609375, 0.0009765625}},
      {"Torch.fmod", at::kFloat, {1}, 0.1, {0.09999998658895493}},
      {"Torch.floor_divide", at::kBFloat16, {1, 0.5, -1}, 0.1, {9, 4, -10}},
  };
  for (const OperandCase& c : cases) {
    Dumped dumped(std::string(c.api) + ".0");
    dumped.args = {dumped.tensor(at::tensor(c.x, at::kDouble).to(c.dtype)), number(c.other)};
    Replay run(dumped, dumped.rebuilt());
    const at::Tensor expected = at::tensor(c.expected, at::kDouble), golden = run.golden().to(at::kDouble);
    EXPECT_TRUE(at::allclose(golden, expected, /*rtol=*/1e-9, /*atol=*/0)) << c.api << golden << expected;
    EXPECT_TRUE(at::allclose(run.device().to(at::kDouble), expected, 1e-9, 0)) << c.api << run.device();
    EXPECT_EQ(run.judged().forward, Status::kPass) << c.api << run.judged().rows[0].message;
  }
}

// threshold of half types compares in float32 on the CPU: 0.10009765625, which bfloat16 makes of 0.1, is above 0.1.
TEST(Jumps, ThresholdComparesInTheArithmeticsDtype) {
  Dumped dumped("Functional.threshold.0");
  dumped.args = {dumped.tensor(at::tensor({0.10009765625, 0.05}, at::kDouble).to(at::kBFloat16)), number(0.1),
                 number(20)};
  Replay run(dumped, dumped.rebuilt());
  EXPECT_TRUE(run.golden().equal(at::tensor({0.10009765625, 20.0}, at::kDouble)));
  EXPECT_EQ(run.judged().forward, Status::kPass);
}

TEST(Jumps, TensorsOfAnotherDtypeAreOperandsToo) {
  struct Case {
    at::Tensor x, other;
  };
  // PyTorch in Python: bfloat16 [0.8984375] >= float64 0.9 and int64 [2049] >= float16 [2048.] are true.
  for (const Case& c : {Case{at::tensor({0.8984375}).to(at::kBFloat16), at::scalar_tensor(0.9, at::kDouble)},
                        Case{at::tensor({2049}, at::kLong), at::tensor({2048}).to(at::kHalf)},
                        Case{at::tensor({2047}, at::kLong), at::tensor({2048}).to(at::kHalf)}}) {
    Dumped dumped("Torch.ge.0");
    dumped.args = {dumped.tensor(c.x), dumped.tensor(c.other)};
    Replay run(dumped, dumped.rebuilt());
    const bool below = c.x.is_floating_point() ? false : c.x.item<int64_t>() == 2047;
    EXPECT_EQ(run.golden().item<bool>(), !below);
    EXPECT_EQ(run.judged().forward, Status::kPass) << run.judged().rows[0].message;
  }
}

TEST(Jumps, ProfileMindstudioKeepsTheNumber) {
  Dumped dumped("Tensor.__ge__.0");
  dumped.options.inputs.profile = config::Profile::kMindstudio;
  dumped.args = {dumped.tensor(at::tensor({0.8984375}).to(at::kBFloat16)), number(0.9)};
  EXPECT_FALSE(Replay(dumped, dumped.rebuilt()).golden().item<bool>());
}

// ---- positions

// PyTorch 2.13 in Python: of arange(248) made 224 long these places read one less than in float64.
TEST(Jumps, NearestReadsWhereTheDeviceReads) {
  const std::vector<int64_t> places = {28, 56, 84, 112, 168, 196}, read = {30, 61, 92, 123, 185, 216};
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    for (const bool by_position : {false, true}) {
      Dumped dumped("Functional.interpolate.0");
      dumped.args = {dumped.tensor(at::arange(248, at::kFloat).to(dtype).reshape({1, 1, 248}), true)};
      if (by_position)
        dumped.args.push_back(integers({224}));
      else
        dumped.kwargs = {{"size", integers({224})}};
      dumped.outputs = {dumped.tensor(at::zeros({1, 1, 224}, dtype), true)};
      dumped.gradients = {dumped.tensor(at::ones({1, 1, 224}, dtype))};
      Replay run(dumped, dumped.rebuilt());
      EXPECT_EQ(run.golden().scalar_type(), at::kDouble);  // what is copied, and the sums of its gradient
      for (size_t i = 0; i < places.size(); ++i)
        EXPECT_EQ(run.golden()[0][0][places[i]].item<double>(), static_cast<double>(read[i]));
      EXPECT_EQ(run.judged().forward, Status::kPass);
      EXPECT_EQ(run.judged().backward, Status::kPass) << run.judged().rows[1].message;
    }
  }
}

TEST(Jumps, OtherModesStayInFloat64) {
  Dumped dumped("Functional.interpolate.0");
  dumped.args = {dumped.tensor(at::rand({1, 1, 7}))};
  dumped.kwargs = {{"size", integers({3})}, {"mode", text("linear")}};
  EXPECT_EQ(Replay(dumped, dumped.rebuilt()).golden().scalar_type(), at::kDouble);
  Dumped wide("Functional.interpolate.0");
  wide.args = {wide.tensor(at::rand({1, 1, 7}, at::kDouble))};
  wide.kwargs = {{"size", integers({3})}};
  EXPECT_EQ(Replay(wide, wide.rebuilt()).golden().scalar_type(), at::kDouble);
}

// ---- sides

struct SideCase {
  std::vector<double> device;
  Status expected;
  const char* note;  // in the Message; "": no element is taken from another side
};

void expect_sides(Dumped& dumped, const std::vector<SideCase>& cases) {
  Replay run(dumped, dumped.rebuilt());
  for (const SideCase& c : cases) {
    run.device() = at::tensor(c.device, at::kDouble).to(run.device().scalar_type());
    const auto row = run.judged().rows[0];
    EXPECT_EQ(row.status, c.expected) << c.device << row.message;
    const std::string taken = " within one rounding error of a jump ";
    if (*c.note == '\0')
      EXPECT_EQ(row.message.find(taken), std::string::npos) << row.message;
    else
      EXPECT_NE(row.message.find(c.note + taken), std::string::npos) << row.message;
  }
}

// 0.05 lies half a step from 0 and 0.1, float32's 0.05 a little above; 0.08 is 0.1 and nothing else.
TEST(Jumps, AFakeQuantisedTieIsEitherStepAndNothingElse) {
  Dumped dumped("Torch.fake_quantize_per_tensor_affine.0");
  dumped.args = {dumped.tensor(at::tensor({0.05F, 0.08F, -0.31F})), number(0.1), Dumped::integer(0),
                 Dumped::integer(-128), Dumped::integer(127)};
  expect_sides(dumped, {{{0.1, 0.1, -0.3}, Status::kPass, ""},
                        {{0, 0.1, -0.3}, Status::kPass, "1 of 3 elements"},
                        {{0, 0, -0.3}, Status::kError, "1 of 3 elements"},
                        {{0.1, 0, -0.3}, Status::kError, ""},
                        {{0.2, 0.1, -0.3}, Status::kError, ""},
                        {{0.07, 0.1, -0.3}, Status::kError, ""}});
}

TEST(Jumps, ABorderIsOnEitherSide) {
  Dumped dumped("Torch.bucketize.0");
  dumped.args = {dumped.tensor(at::tensor({0.5F, 0.51F, 3.0F})), dumped.tensor(at::tensor({0.5F, 1.0F, 2.0F}))};
  expect_sides(dumped, {{{0, 1, 3}, Status::kPass, ""},
                        {{1, 1, 3}, Status::kPass, "1 of 3 elements"},
                        {{2, 1, 3}, Status::kError, "1 of 3 elements"},
                        {{0, 2, 3}, Status::kError, ""}});
}

// 0.3 is float32's 0.1 three times but for a rounding error; what is smooth stays judged to the last place.
TEST(Jumps, ARemainderNextToAMultipleIsEitherEnd) {
  Dumped dumped("Torch.remainder.0");
  dumped.args = {dumped.tensor(at::tensor({0.3F, 100.25F})), number(0.5)};
  expect_sides(dumped, {{{0.3, 0.25}, Status::kPass, ""}, {{0.3, 0.75}, Status::kError, ""}});
  Dumped multiple("Torch.remainder.0");
  multiple.args = {multiple.tensor(at::tensor({1.5F, 100.25F})), number(0.5)};
  expect_sides(multiple, {{{0, 0.25}, Status::kPass, ""},
                          {{0.5, 0.25}, Status::kPass, "1 of 2 elements"},
                          {{0.2, 0.25}, Status::kError, ""}});
}

// Edges 0, 0.25, .. 1: the two elements at 0.5 may be counted below it, those at 0.6 not.
TEST(Jumps, ElementsOnABinsEdgeCountForEither) {
  Dumped dumped("Torch.histc.0");
  dumped.args = {dumped.tensor(at::tensor({0.1F, 0.3F, 0.5F, 0.5F, 0.6F, 0.6F, 0.9F, 1.0F})), Dumped::integer(4),
                 Dumped::integer(0), Dumped::integer(1)};
  expect_sides(dumped, {{{1, 1, 4, 2}, Status::kPass, ""},
                        {{1, 2, 3, 2}, Status::kPass, "1 of 8 elements"},
                        {{1, 3, 2, 2}, Status::kPass, "2 of 8 elements"},
                        {{1, 4, 1, 2}, Status::kError, "2 of 8 elements"},
                        {{1, 1, 4, 1}, Status::kError, ""},
                        {{2, 0, 4, 2}, Status::kError, ""}});
}

// The CPU lets bfloat16's 0.1 through, a device that rounds 0.1 first does not: its gradient is 0 there.
TEST(Jumps, AGradientsMaskIsTakenFromEitherSide) {
  Dumped dumped("Functional.threshold.0");
  const at::Tensor x = at::tensor({0.10009765625, 0.5}, at::kDouble).to(at::kBFloat16);
  dumped.args = {dumped.tensor(x, true), number(0.1), number(20)};
  dumped.outputs = {dumped.tensor(x, true)};
  dumped.gradients = {dumped.tensor(at::ones({2}, at::kBFloat16))};
  Replay run(dumped, dumped.rebuilt());
  const auto judged_with = [&](double first, double second) {
    run.called.gradients.device[0] = at::tensor({first, second}, at::kDouble).to(at::kBFloat16);
    return run.judged().rows[1];
  };
  EXPECT_EQ(judged_with(1, 1).status, Status::kPass);
  const auto masked = judged_with(0, 1);
  EXPECT_EQ(masked.status, Status::kPass) << masked.message;
  EXPECT_NE(masked.message.find("1 of 2 elements within one rounding error of a jump is taken from its other side"),
            std::string::npos)
      << masked.message;
  EXPECT_EQ(judged_with(1, 0).status, Status::kError);
}

}  // namespace
}  // namespace msprobe::check
