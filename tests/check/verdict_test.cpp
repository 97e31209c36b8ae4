// Verdicts of whole calls that depend on what a dump does not tell, or on the dtype.
#include <torch/version.h>

#include "check/dtype_defaults.h"
#include "check/dumped.h"
#include "check/judged_gradients.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Status;

// ---- defaults that depend on the dtype

// sqrt(mean of squares + eps) with inputs so small that eps decides: worked out by hand for float32's eps, 2^-23.
TEST(DtypeDefault, RmsNormsGoldenTakesTheEpsOfTheRecordedDtype) {
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    // Older releases take the eps of the halves themselves.
    if (dtype != at::kFloat && TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 7) continue;
    const double x = std::ldexp(1.0, -10);  // exact in all of them
    Dumped dumped("Functional.rms_norm.0");
    const at::Tensor input = at::full({2, 4}, x, dtype);
    const double expected = x / std::sqrt(x * x + std::ldexp(1.0, -23));
    dumped.args = {dumped.tensor(input), "[" + Dumped::integer(4) + "]"};
    dumped.outputs = {dumped.tensor(at::full({2, 4}, expected, dtype))};
    const auto outcome = dumped.check();
    EXPECT_NE(outcome.forward, Status::kError) << outcome.rows[0].message;  // bfloat16 rounds to a warning
    EXPECT_EQ(outcome.message.substr(0, outcome.message.find(';')),
              "golden with eps=1.1920929e-07, PyTorch's default for " + inputs::dtype_name(dtype));
    EXPECT_LT(outcome.rows[0].figures[static_cast<int>(outcome::Figure::kMaxAbs)].value(), expected * 0.01);
  }
}

struct DefaultCase {
  const char* api;
  std::vector<std::string> further;
  std::vector<std::pair<std::string, std::string>> kwargs;
  const char* parameter;  // "": nothing is filled
  double value;
};

TEST(DtypeDefault, IsFilledOnlyWhereItIsLeftOut) {
  const std::string one = R"({"type": "float", "value": 0.5})", zero = R"({"type": "float", "value": 0.0})";
  const std::string shape = "[" + Dumped::integer(2) + "]";
  const double eps = std::ldexp(1.0, -23);
  const std::vector<DefaultCase> cases = {
      {"Torch.rms_norm", {shape, "null", "null"}, {}, "eps", eps},
      {"Torch.rms_norm", {shape, "null", one}, {}, "", 0},
      {"Functional.rms_norm", {shape}, {{"eps", one}}, "", 0},
      {"Aten.rms_norm.default", {shape}, {{"eps", "null"}}, "eps", eps},
      {"Torch.linalg.matrix_rank", {}, {}, "rtol", 3 * eps},
      {"Torch.matrix_rank", {}, {}, "rtol", 3 * eps},
      {"Torch.linalg.matrix_rank", {}, {{"rtol", one}}, "", 0},
      {"Torch.linalg.matrix_rank", {one}, {}, "", 0},
      {"Torch.linalg.matrix_rank", {}, {{"atol", zero}}, "rtol", 3 * eps},
      {"Torch.linalg.pinv", {}, {{"hermitian", R"({"type": "bool", "value": false})"}}, "rtol", 3 * eps},
      {"Torch.linalg.pinv", {}, {{"rcond", one}}, "", 0},
      {"Aten.linalg_pinv.atol_rtol_float", {}, {}, "rtol", 3 * eps},
      {"Torch.linalg.svdvals", {}, {}, "", 0},
  };
  for (const auto& c : cases) {
    Dumped dumped(std::string(c.api) + ".0");
    dumped.args = {dumped.tensor(at::ones({3, 2}))};
    for (const auto& a : c.further) dumped.args.push_back(a);
    dumped.kwargs = c.kwargs;
    const Rebuilt rebuilt = dumped.rebuilt();
    const auto [golden, note] = fill_dtype_defaults(dumped.session(), rebuilt, rebuilt.inputs);
    EXPECT_EQ(note.empty(), *c.parameter == '\0') << c.api << ": " << note;
    if (*c.parameter == '\0') {
      EXPECT_EQ(golden.args.size(), rebuilt.inputs.args.size()) << c.api;
      EXPECT_EQ(golden.kwargs.size(), rebuilt.inputs.kwargs.size()) << c.api;
      continue;
    }
    const bool by_position = golden.args.size() > 3;
    const Value* value = by_position ? &golden.args[3] : golden.kwarg(c.parameter);
    ASSERT_NE(value, nullptr) << c.api;
    EXPECT_EQ(value->get<double>(), c.value) << c.api;
  }
}

TEST(DtypeDefault, AnAtolAboveZeroSwitchesRtolOff) {
  Dumped dumped("Torch.linalg.matrix_rank.0");
  dumped.args = {dumped.tensor(at::ones({3, 2}))};
  dumped.kwargs = {{"atol", R"({"type": "float", "value": 0.5})"}};
  const Rebuilt rebuilt = dumped.rebuilt();
  const auto [golden, note] = fill_dtype_defaults(dumped.session(), rebuilt, rebuilt.inputs);
  EXPECT_EQ(note, "");
  EXPECT_EQ(golden.kwarg("rtol")->get<double>(), 0);
}

// (1, 1)^T (1, 0.1): rank 1 in exact numbers; 0.1 rounded to float32 leaves the float64 golden a second singular value.
TEST(DtypeDefault, MatrixRankAndLstsqAnswerAsTheRecordedDtypeDoes) {
  const at::Tensor m = at::tensor({1.0F, 0.1F, 0.7F, 0.07F}).reshape({2, 2});
  Dumped rank("Torch.linalg.matrix_rank.0");
  rank.args = {rank.tensor(m)};
  rank.outputs = {rank.tensor(at::scalar_tensor(1, at::kLong))};
  auto outcome = rank.check();
  EXPECT_EQ(outcome.forward, Status::kPass) << outcome.rows[0].message;
  rank.options.inputs.profile = config::Profile::kMindstudio;
  outcome = rank.check();
  EXPECT_EQ(outcome.forward, Status::kError);
  EXPECT_EQ(outcome.message.find("golden with"), std::string::npos);

  Dumped lstsq("Torch.linalg.lstsq.0");
  lstsq.args = {lstsq.tensor(m), lstsq.tensor(at::ones({2, 1}))};
  lstsq.kwargs = {{"driver", R"({"type": "str", "value": "gelsd"})"}};
  lstsq.outputs = {lstsq.tensor(at::ones({2, 1}))};
  outcome = lstsq.check();
  EXPECT_EQ(outcome.forward, Status::kPass) << outcome.rows[0].message;
  EXPECT_NE(outcome.message.find("golden with rcond=2.3841858e-07, PyTorch's default for torch.float32"),
            std::string::npos)
      << outcome.message;
}

// ---- tensor classes

TEST(TensorType, AClassIsTakenFromTheRecordedOutput) {
  for (const bool by_keyword : {false, true}) {
    Dumped dumped("Tensor.type.0");
    const at::Tensor x = at::tensor({1.5F, -2.25F, 1.0F / 3});
    dumped.args = {dumped.tensor(x)};
    if (by_keyword)
      dumped.kwargs = {{"dtype", "null"}};
    else
      dumped.args.emplace_back("null");
    dumped.outputs = {dumped.tensor(x.to(at::kHalf))};
    const auto outcome = dumped.check();
    EXPECT_EQ(outcome.rows[0].device_dtype, "torch.float16");
    EXPECT_EQ(outcome.forward, Status::kPass);
    EXPECT_EQ(outcome.recorded_ulp, 0);
    EXPECT_EQ(outcome.message, "a tensor class given as dtype is not recorded, taken from the recorded output");
  }
}

TEST(TensorType, WithoutAnArgumentItNamesTheType) {
  Dumped dumped("Tensor.type.0");
  dumped.args = {dumped.tensor(at::ones({3}))};
  dumped.outputs = {R"({"type": "str", "value": "torch.FloatTensor"})"};
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.rows[0].device_dtype, "<class 'str'>");
  EXPECT_EQ(outcome.forward, Status::kPass);
}

// ---- callables

Dumped& triplet(Dumped& dumped, bool keyword, double loss) {
  const at::Tensor a = at::tensor({0.0F, 0.0F}).reshape({1, 2}), p = at::tensor({3.0F, 4.0F}).reshape({1, 2});
  const at::Tensor n = at::tensor({6.0F, 8.0F}).reshape({1, 2});
  dumped.args = {dumped.tensor(a), dumped.tensor(p), dumped.tensor(n)};
  dumped.kwargs = {{"margin", R"({"type": "float", "value": 7.0})"}};
  if (keyword) dumped.kwargs.emplace_back("distance_function", "null");
  dumped.outputs = {dumped.tensor(at::scalar_tensor(loss, at::kFloat))};
  return dumped;
}

// Distances 5 and 10, so 5 - 10 + 7 = 2; with sums of absolute differences 7 - 14 + 7 = 0.
TEST(Callable, ADistanceThatTheRecordContradictsIsSkip) {
  Dumped own("Functional.triplet_margin_with_distance_loss.0");
  auto outcome = triplet(own, true, 0).check();
  EXPECT_EQ(outcome.forward, Status::kSkip);
  EXPECT_EQ(outcome.message, "distance_function is not recorded");

  Dumped torchs("Functional.triplet_margin_with_distance_loss.0");
  EXPECT_EQ(triplet(torchs, true, 2).check().forward, Status::kPass);
}

TEST(Callable, WithoutRealDataNothingTellsWhichDistanceItWas) {
  Dumped given("Functional.triplet_margin_with_distance_loss.0", /*real_data=*/false);
  auto outcome = triplet(given, true, 2).check();
  EXPECT_EQ(outcome.forward, Status::kSkip);
  EXPECT_EQ(outcome.message, "distance_function is not recorded");

  Dumped absent("Functional.triplet_margin_with_distance_loss.0", /*real_data=*/false);
  EXPECT_EQ(triplet(absent, false, 2).check().forward, Status::kPass);
}

// ---- gradients that cancel

outcome::Row gradient_row(const at::Tensor& golden, const at::Tensor& device) {
  Dumped dumped("Functional.softmax.0");
  dumped.args = {dumped.tensor(at::ones({4}), true), Dumped::integer(0)};
  dumped.outputs = {dumped.tensor(at::full({4}, 0.25), true)};
  dumped.gradients = {dumped.tensor(at::full({4}, 2.0))};
  const Rebuilt rebuilt = dumped.rebuilt();
  Called called;
  called.gradients.golden = {golden};
  called.gradients.device = {device};
  called.device.leaves = {at::ones({4})};
  const Session session = dumped.session();
  return judge_gradients(session, rebuilt, called, SecondOpinion(session, rebuilt, called)).rows[0];
}

TEST(Vanishing, AnErrorBetweenRoundingErrorsSaysSo) {
  const at::Tensor golden = at::tensor({1e-17, -1e-17, 1e-17, -1e-17}, at::kDouble);
  const at::Tensor device = at::tensor({-1e-8, -1e-8, 0.0, 2e-8}, at::kFloat);
  const auto row = gradient_row(golden, device);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message.substr(row.message.find("; ") + 2),
            "the golden is all but 0 here: at most 1e-17 for output gradients up to 2; largest absolute error 2e-08");
}

// Rounding cannot make an error as large as the output gradients: eps times the largest of them times the root of how
// many there are is what four of them leave.
TEST(Vanishing, AnErrorBeyondRoundingIsNone) {
  const at::Tensor golden = at::tensor({1e-17, -1e-17, 1e-17, -1e-17}, at::kDouble);
  const double most = 0x1p-23 * 2 * 2;
  const auto within = gradient_row(golden, at::tensor({most, -most, 0.0, 0.0}, at::kFloat));
  EXPECT_EQ(within.assessed.word, outcome::Assessment::kCancellation) << within.message;
  const auto beyond = gradient_row(golden, at::tensor({1.01 * most, -most, 0.0, 0.0}, at::kFloat));
  EXPECT_EQ(beyond.message.find("all but 0"), std::string::npos) << beyond.message;
}

TEST(Vanishing, AnErrorOfARealGradientDoesNot) {
  const at::Tensor golden = at::tensor({1e-3, -1e-3, 1e-3, -1e-3}, at::kDouble);
  const auto row = gradient_row(golden, -golden.to(at::kFloat));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message.find("all but 0"), std::string::npos) << row.message;
  EXPECT_EQ(gradient_row(golden, golden.to(at::kFloat)).message.find("all but 0"), std::string::npos);
}

}  // namespace
}  // namespace msprobe::check
