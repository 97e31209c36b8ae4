// Goldens in TorchScript: values, gradients, and errors with the place in the user's file.
#include <torch/csrc/jit/api/module.h>

#include <gmock/gmock.h>

#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// silu(a) * b, element by element in plain C++.
at::Tensor swiglu_by_hand(const at::Tensor& x) {
  const int64_t n = x.size(-1) / 2;
  at::Tensor out = at::zeros({x.size(0), n}, at::kDouble);
  for (int64_t i = 0; i < x.size(0); ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double a = x[i][j].item<double>(), b = x[i][j + n].item<double>();
      out[i][j] = a / (1 + std::exp(-a)) * b;
    }
  return out;
}

class TorchScriptTest : public UsersGoldens {
 protected:
  void use_file(const std::string& python, const std::string& yaml) {
    folder_.write("golden.py", python);
    use(read_configuration(folder_.write("f.yaml", yaml)));
  }
  Folder folder_;
};

constexpr const char* kSwiglu =
    "from typing import List\n"
    "import torch\n"
    "import torch.nn.functional as F\n"
    "from torch import Tensor\n"
    "\n"
    "SIDES = 2\n"
    "\n"
    "\n"
    "def halves(x: Tensor, dim: int) -> List[Tensor]:\n"
    "    \"\"\"Both of them.\"\"\"\n"
    "    return torch.chunk(x, SIDES, dim)\n"
    "\n"
    "\n"
    "def ts_swiglu(\n"
    "    x: torch.Tensor, dim: int = -1\n"
    ") -> Tensor:\n"
    "    a, b = halves(x, dim)\n"
    "    return F.silu(a) * b\n"
    "\n"
    "\n"
    "def ts_swiglu_grad(grad: Tensor, x: Tensor, dim: int = -1) -> Tensor:\n"
    "    a, b = halves(x, dim)\n"
    "    s = torch.sigmoid(a)\n"
    "    return torch.cat([grad * b * s * (1.0 + a * (1.0 - s)), grad * a * s], dim)\n";

TEST_F(TorchScriptTest, ComputesForwardAndAutogradRunsThroughIt) {
  use_file(kSwiglu, "operators: {ts_swiglu: {source: golden.py}}\n");
  at::Tensor x = wave({3, 8}, 0.3).requires_grad_(true), g = wave({3, 4}, 1.1);
  at::Tensor y = output(call("ts_swiglu", {x}));
  expect_near(y, swiglu_by_hand(x));
  y.backward(g);
  expect_near(x.grad(), numerical(swiglu_by_hand, x, g), 1e-9);
  expect_near(output(call("ts_swiglu", {}, {{"input", x}, {"dim", -1}})), swiglu_by_hand(x));
}

TEST_F(TorchScriptTest, TheSameCallGivesTheSameBitsHoweverOftenItIsMade) {
  use_file(kSwiglu, "operators: {ts_swiglu: {source: golden.py}}\n");
  at::Tensor x = wave({5, 64}, 0.9).to(at::kFloat);
  const at::Tensor first = output(call("ts_swiglu", {x}));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(at::equal(output(call("ts_swiglu", {x})), first));
}

TEST_F(TorchScriptTest, ABackwardFunctionOfItsOwnIsUsed) {
  use_file(kSwiglu,
           "operators:\n"
           "  ts_own: {source: golden.py, forward: ts_swiglu, backward: ts_swiglu_grad}\n"
           "  ts_double:\n"  // a gradient that autograd would never give tells whose it is
           "    forward: square\n"
           "    backward: wrong\n"
           "    source: |\n"
           "      def square(x: Tensor, mask: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:\n"
           "          return x * x, y * y\n"
           "      def wrong(gx: Tensor, gy: Tensor, x: Tensor, mask: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:\n"
           "          return gx * 7.0, gy * 5.0\n");
  at::Tensor x = wave({3, 8}, 0.3).requires_grad_(true), g = wave({3, 4}, 1.1);
  at::Tensor y = output(call("ts_own", {x}));
  expect_near(y, swiglu_by_hand(x));
  y.backward(g);
  expect_near(x.grad(), numerical(swiglu_by_hand, x, g), 1e-9);

  at::Tensor a = wave({4}, 0).requires_grad_(true), b = wave({2}, 1).requires_grad_(true);
  auto both = call("ts_double", {a, at::ones({4}, at::kBool), b});
  expect_near(output(both, 1), b * b);
  output(both, 1).backward(at::ones({2}, at::kDouble));  // the first output's gradient is then zeros
  expect_near(b.grad(), at::full({2}, 5.0, at::kDouble));
  expect_near(a.grad(), at::zeros({4}, at::kDouble));
}

TEST_F(TorchScriptTest, KnowsDtypesMathAndConstantsOfTheFile) {
  use_file(
      "import math\nimport torch\nSCALE = 0.5\n"
      "def ts_names(x: Tensor, items: List[int], s: Optional[float] = None) -> Tuple[Tensor, Tensor, int]:\n"
      "    y = x.to(torch.float64) * SCALE * math.sqrt(16.0) * math.pi\n"
      "    if s is not None:\n"
      "        y = y + s\n"
      "    return y, torch.linalg.vector_norm(y), items[0] + items[1]\n",
      "operators: {ts_names: {source: golden.py}}\n");
  at::Tensor x = at::tensor({1.0f, -2.0f});
  auto r = call("ts_names", {x, ops::Value(inputs::List{{ops::Value(3), ops::Value(4)}})}, {{"s", 1}});
  expect_near(output(r), at::tensor({2 * M_PI + 1, -4 * M_PI + 1}, at::kDouble));
  EXPECT_EQ(output(r).scalar_type(), at::kDouble);
  EXPECT_NEAR(output(r, 1).item<double>(), std::hypot(2 * M_PI + 1, -4 * M_PI + 1), 1e-12);
  EXPECT_EQ(check::flatten(r)[2].get<int64_t>(), 7);
}

TEST_F(TorchScriptTest, ErrorsOfTheCompilerNameFileAndLine) {
  use_file(
      "import torch\n"
      "\n"
      "def ts_unknown(x: Tensor) -> Tensor:\n"
      "    y = x + 1\n"
      "    return torch.no_such_function(y)\n",
      "operators:\n"
      "  ts_unknown: {source: golden.py, kind: torchscript}\n"
      "  ts_syntax:\n"
      "    source: |\n"
      "      def ts_syntax(x: Tensor) -> Tensor:\n"
      "          return x +\n");
  EXPECT_THAT(error_of([&] { call("ts_unknown", {at::ones({2})}); }),
              StartsWith((folder_ / "golden.py") + ":5: Unknown builtin op: aten::no_such_function."));
  EXPECT_THAT(error_of([&] { call("ts_syntax", {at::ones({2})}); }),
              StartsWith((folder_ / "f.yaml") + ":6: expected ident but found 'newline' here"));
  EXPECT_THAT(error_of([&] { call("ts_syntax", {at::ones({2})}); }),
              HasSubstr("; what TorchScript does not know plain Python does: put it into a .py file and say `kind: "
                        "python`"));
}

TEST_F(TorchScriptTest, AFunctionalCallThatMeansSomethingElseToAtenIsNotCompiled) {
  use_file(
      "import math\nimport torch\nimport torch.nn.functional as F\n"
      "def ts_elu(x: Tensor) -> Tensor:\n    return F.elu(x, 0.5, False)\n"
      "def ts_elu_two(x: Tensor) -> Tensor:\n    return torch.nn.functional.elu(x, alpha=0.5)\n"
      "def ts_dropout(x: Tensor) -> Tensor:\n    return F.embedding(x, x)\n"
      "def ts_keyword(x: Tensor) -> Tensor:\n    return F.elu(x, scale=3)\n"
      "def ts_remainder(x: Tensor) -> Tensor:\n    return x * math.remainder(5.0, 3.0)\n",
      "operators:\n"
      "  ts_elu: {source: golden.py, kind: torchscript}\n"
      "  ts_elu_two: {source: golden.py, kind: torchscript}\n"
      "  ts_dropout: {source: golden.py, kind: torchscript}\n"
      "  ts_keyword: {source: golden.py, kind: torchscript}\n"
      "  ts_remainder: {source: golden.py, kind: torchscript}\n");
  const std::string remedy = "; what TorchScript does not know plain Python does: say `kind: python`";
  const auto said = [&](const std::string& name) { return error_of([&] { call(name, {at::ones({2})}); }); };
  EXPECT_EQ(said("ts_elu"),
            (folder_ / "golden.py") + ":5: F.elu takes 2 arguments by position in TorchScript, got 3" + remedy);
  EXPECT_EQ(
      said("ts_dropout"),
      (folder_ / "golden.py") + ":9: F.embedding is not known to TorchScript, or has other arguments there" + remedy);
  EXPECT_EQ(said("ts_keyword"), (folder_ / "golden.py") + ":11: F.elu takes no scale= in TorchScript" + remedy);
  expect_near(output(call("ts_elu_two", {at::tensor({-1.0, 2.0}, at::kDouble)})),
              at::tensor({0.5 * std::expm1(-1.0), 2.0}, at::kDouble));
  // IEEE's, not the sign of the divisor's.
  expect_near(output(call("ts_remainder", {at::ones({1}, at::kDouble)})), at::tensor({-1.0}, at::kDouble));
}

TEST_F(TorchScriptTest, WhatTheCompilerDoesNotTakeIsRunByPythonAndMessageSaysSo) {
  MSPROBE_NEEDS_PYTHON();
  use_file(
      "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n"
      "def ts_elu(x: Tensor) -> Tensor:\n    return F.elu(x, 0.5, False)\n"
      "def ts_fine(x: Tensor) -> Tensor:\n    return x + 1\n"
      "def ts_format(x: Tensor) -> Tensor:\n    return {'a': lambda t: t * 2}['a'](x)\n",
      "operators: {ts_elu: {source: golden.py}}\n");
  at::Tensor x = at::tensor({-1.0, 2.0}, at::kDouble).requires_grad_(true);
  at::Tensor y = output(call("ts_elu", {x}));
  expect_near(y, at::tensor({0.5 * std::expm1(-1.0), 2.0}, at::kDouble));
  y.sum().backward();
  expect_near(x.grad(), at::tensor({0.5 * std::exp(-1.0), 1.0}, at::kDouble));
  EXPECT_THAT(find("ts_elu")->remark(),
              StartsWith("run by Python, since TorchScript does not take it: " + (folder_ / "golden.py:")));
}

TEST_F(TorchScriptTest, AFunctionThatDoesNotCompileLeavesTheOthersOfItsFile) {
  use_file(
      "import torch\n"
      "def helper(x: Tensor) -> Tensor:\n    return x + 1\n"
      "def ts_broken(x: Tensor) -> Tensor:\n    return torch.no_such_function(x)\n"
      "def ts_fine(x: Tensor) -> Tensor:\n    return helper(x)\n",
      "operators: {ts_fine: {source: golden.py}}\n");
  expect_near(output(call("ts_fine", {at::ones({2})})), at::full({2}, 2.0));
  EXPECT_EQ(find("ts_fine")->remark(), "");
}

TEST_F(TorchScriptTest, ErrorsOfTheCallNameFileAndLine) {
  use_file(
      "import torch\n"
      "def ts_shapes(x: Tensor, y: Tensor) -> Tensor:\n"
      "    return x + y\n"
      "def ts_raises(x: Tensor) -> Tensor:\n"
      "    if x.dim() != 3:\n"
      "        raise ValueError('x must have 3 dimensions')\n"
      "    return x\n",
      "operators: {ts_shapes: {source: golden.py}, ts_raises: {source: golden.py}}\n");
  EXPECT_THAT(error_of([&] {
                call("ts_shapes", {at::ones({2}), at::ones({3})});
              }),
              StartsWith((folder_ / "golden.py") + ":3: The size of tensor a (2) must match the size of tensor b (3)"));
  const std::string raised = error_of([&] { call("ts_raises", {at::ones({2})}); });
  EXPECT_THAT(raised, StartsWith((folder_ / "golden.py") + ":6: "));
  EXPECT_THAT(raised, HasSubstr("x must have 3 dimensions"));
  EXPECT_EQ(error_of([&] { call("ts_shapes", {at::ones({2})}); }), "ts_shapes: argument y is missing");
  EXPECT_EQ(error_of([&] {
              call("ts_shapes", {at::ones({2}), "a"});
            }),
            "ts_shapes: argument y takes Tensor, got str 'a'");
  EXPECT_EQ(error_of([&] {
              call("ts_raises", {at::ones({2})}, {{"dim", 1}});
            }),
            "ts_raises has no argument of the name dim");
  EXPECT_EQ(error_of([&] { call("ts_raises", {at::ones({2}), 1}); }), "ts_raises takes 1 arguments by position, got 2");
}

TEST_F(TorchScriptTest, AWrongNumberOfGradientsIsSaid) {
  use_file("",
           "operators:\n"
           "  ts_few:\n"
           "    backward: few\n"
           "    source: |\n"
           "      def ts_few(x: Tensor, y: Tensor) -> Tensor:\n"
           "          return x * y\n"
           "      def few(g: Tensor, x: Tensor, y: Tensor) -> Tensor:\n"
           "          return g\n");
  at::Tensor x = at::ones({2}).requires_grad_(true), y = at::ones({2}).requires_grad_(true);
  at::Tensor out = output(call("ts_few", {x, y}));
  EXPECT_THAT(error_of([&] { out.sum().backward(); }),
              HasSubstr("few gives 1 gradients, expected one for each of the 2 floating tensors of the call"));
}

TEST_F(TorchScriptTest, AScriptedModuleRunsInThePrecisionOfItsArguments) {
  torch::jit::Module module("Scale");
  module.register_parameter("w", at::tensor({2.0f, 3.0f}), false);
  module.define("def forward(self, x: Tensor, plus: float = 0.0) -> Tensor:\n    return x * self.w + plus\n");
  module.save(folder_ / "module.pt");
  use_file("", "operators: {ts_module: {source: module.pt}, ts_method: {source: module.pt, forward: missing}}\n");
  at::Tensor x = at::tensor({0.1, 0.2}, at::kDouble).requires_grad_(true);
  at::Tensor y = output(call("ts_module", {x}, {{"plus", 1.0}}));
  EXPECT_EQ(y.scalar_type(), at::kDouble);
  expect_near(y, at::tensor({1.2, 1.6}, at::kDouble));
  y.sum().backward();
  expect_near(x.grad(), at::tensor({2.0, 3.0}, at::kDouble));
  EXPECT_EQ(output(call("ts_module", {at::ones({2}, at::kBFloat16)})).scalar_type(), at::kBFloat16);
  EXPECT_EQ(error_of([&] { call("ts_method", {at::ones({2})}); }),
            (folder_ / "module.pt") + ": the module has no method missing");
}

TEST_F(TorchScriptTest, AFileThatIsNoModuleIsNamed) {
  folder_.write("broken.pt", "not a zip file");
  use_file("", "operators: {ts_broken: {source: broken.pt}}\n");
  EXPECT_THAT(error_of([&] { call("ts_broken", {at::ones({2})}); }),
              StartsWith((folder_ / "broken.pt") + " is no module that torch.jit.save wrote: "));
}

}  // namespace
}  // namespace msprobe::goldens
