// Goldens in plain Python, run by the host's Python in a process of its own.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include "goldens/support.h"
#include "goldens/user/python_process.h"

namespace msprobe::goldens {
namespace {

using inputs::List;
using ops::Value;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PythonGoldenTest : public UsersGoldens {
 protected:
  void SetUp() override { MSPROBE_NEEDS_PYTHON(); }
  void use_file(const std::string& python, const std::string& operators) {
    folder_.write("golden.py", python);
    use(read_configuration(folder_.write("f.yaml", "operators: {" + operators + "}\n")));
  }
  Folder folder_;
};

constexpr const char* kRmsNorm =
    "import torch\n"
    "from helper import mean_square\n"
    "\n"
    "def py_rms_norm(x, gamma, epsilon=1e-6):\n"
    "    rstd = torch.rsqrt(mean_square(x) + epsilon)\n"
    "    return x * rstd * gamma, rstd.detach().float()\n"
    "\n"
    "def py_sevenfold(grad_y, grad_rstd, x, gamma, epsilon=1e-6):\n"
    "    assert grad_y.shape == x.shape and grad_rstd.dtype == torch.float32\n"
    "    return 7 * grad_y, None\n";

at::Tensor rms_norm_by_hand(const at::Tensor& x, const at::Tensor& gamma) {
  at::Tensor out = at::zeros_like(x);
  for (int64_t i = 0; i < x.size(0); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < x.size(1); ++j) sum += std::pow(x[i][j].item<double>(), 2);
    const double rstd = 1 / std::sqrt(sum / static_cast<double>(x.size(1)) + 1e-6);
    for (int64_t j = 0; j < x.size(1); ++j) out[i][j] = x[i][j].item<double>() * rstd * gamma[j].item<double>();
  }
  return out;
}

TEST_F(PythonGoldenTest, ComputesForwardAndAutogradOverThereGivesTheGradients) {
  folder_.write("helper.py", "def mean_square(x):\n    return (x * x).mean(-1, keepdim=True)\n");
  use_file(kRmsNorm, "py_rms_norm: {source: golden.py}");
  at::Tensor x = wave({3, 4}, 0.2).requires_grad_(true), gamma = wave({4}, 1.4).requires_grad_(true),
             g = wave({3, 4}, 0.8);
  auto r = call("py_rms_norm", {x}, {{"gamma", gamma}});
  expect_near(output(r), rms_norm_by_hand(x.detach(), gamma.detach()));
  EXPECT_EQ(output(r, 1).scalar_type(), at::kFloat);
  EXPECT_EQ(output(r, 1).sizes(), (std::vector<int64_t>{3, 1}));
  output(r).backward(g, /*retain_graph=*/true);
  expect_near(x.grad(), numerical([&](const at::Tensor& t) { return rms_norm_by_hand(t, gamma.detach()); }, x, g),
              1e-8);
  expect_near(gamma.grad(), numerical([&](const at::Tensor& t) { return rms_norm_by_hand(x.detach(), t); }, gamma, g),
              1e-8);
  const at::Tensor once = x.grad().clone();
  output(r).backward(g);  // again: the other side keeps the call
  expect_near(x.grad(), 2 * once);
}

TEST_F(PythonGoldenTest, ABackwardFunctionOfItsOwnIsUsed) {
  folder_.write("helper.py", "def mean_square(x):\n    return (x * x).mean(-1, keepdim=True)\n");
  use_file(kRmsNorm, "py_own: {source: golden.py, forward: py_rms_norm, backward: py_sevenfold}");
  at::Tensor x = wave({2, 4}, 0.2).requires_grad_(true), gamma = wave({4}, 1).requires_grad_(true), g = wave({2, 4}, 2);
  output(call("py_own", {x, gamma})).backward(g);
  expect_near(x.grad(), 7 * g);
  EXPECT_FALSE(gamma.grad().defined());
}

TEST_F(PythonGoldenTest, EveryDtypeAndShapeSurvivesTheWayThereAndBack) {
  use_file("def py_same(*args, **kwargs):\n    return list(args) + [kwargs['last'].clone()]\n",
           "py_same: {source: golden.py}");
  at::Tensor base = at::arange(-6, 6, at::kFloat).reshape({3, 4});
  std::vector<at::Tensor> sent;
  for (auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2, at::kBool,
                     at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kComplexFloat, at::kComplexDouble})
    sent.push_back(base.to(dtype));
  sent.push_back(at::empty({0, 3}));
  sent.push_back(at::scalar_tensor(2.5, at::kDouble));
  sent.push_back(base.t());  // strided
  sent.push_back(at::conj(at::complex(base, base + 1)));
  sent.push_back(at::tensor({INFINITY, -INFINITY, NAN, -0.0f}));
  at::Tensor last = at::arange(5, at::kLong);
  std::vector<Value> args(sent.begin(), sent.end());
  const auto got = check::flatten(call("py_same", args, {{"last", last}}));
  ASSERT_EQ(got.size(), sent.size() + 1);
  for (size_t i = 0; i < sent.size(); ++i) {
    const at::Tensor a = got[i].get<at::Tensor>(), b = sent[i].resolve_conj().contiguous();
    ASSERT_EQ(a.scalar_type(), b.scalar_type());
    ASSERT_EQ(a.sizes(), b.sizes());
    EXPECT_EQ(std::memcmp(a.contiguous().data_ptr(), b.data_ptr(), b.nbytes()), 0) << i << " " << b.scalar_type();
  }
  EXPECT_TRUE(at::equal(got.back().get<at::Tensor>(), last));
}

TEST_F(PythonGoldenTest, ArgumentsArriveAsPythonHasThem) {
  use_file(
      "import torch\n"
      "def py_shown(*args, **kwargs):\n"
      "    return [repr(a) for a in args] + [k + '=' + repr(v) for k, v in kwargs.items()] + [1, 0.1, float('-inf'), "
      "True, None]\n",
      "py_shown: {source: golden.py}");
  const auto got = check::flatten(
      call("py_shown",
           {1, 0.1, true, "text \"\xC3\xA9\"", Value(), Value(INFINITY), List{{Value(1), Value(List{{Value(2.5)}})}},
            List{{Value(2), Value(3)}, true}, at::kHalf, c10::complex<double>(1, -2)},
           {{"k", at::Device("cpu")}}));
  std::vector<std::string> texts;
  for (size_t i = 0; i + 5 < got.size(); ++i) texts.push_back(got[i].get<std::string>());
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "0.1", "True", "'text \"\xC3\xA9\"'", "None", "inf", "[1, [2.5]]",
                                             "torch.Size([2, 3])", "torch.float16", "(1-2j)", "k=device(type='cpu')"}));
  EXPECT_EQ(got[11].get<int64_t>(), 1);
  EXPECT_EQ(got[12].get<double>(), 0.1);
  EXPECT_EQ(got[13].get<double>(), -INFINITY);
  EXPECT_TRUE(got[14].get<bool>());
  EXPECT_TRUE(got[15].is_none());
}

TEST_F(PythonGoldenTest, ASchemaGivesNamesAndDefaultsThatTheFunctionLacks) {
  use_file("def f(a, b, scale):\n    return a * scale + (0 if b is None else b)\n",
           "py_schema: {source: golden.py, forward: f, schema: \"py_schema(Tensor input, Tensor? bias=None, float "
           "alpha=3.0) -> Tensor\"}");
  at::Tensor x = wave({3}, 0);
  expect_near(output(call("py_schema", {x})), x * 3);
  expect_near(output(call("py_schema", {x}, {{"alpha", 0.5}, {"bias", x}})), x * 1.5);
}

TEST_F(PythonGoldenTest, WhatItRaisesNamesFileLineAndClass) {
  folder_.write("broken.py", "def py_broken(x):\n    return x +\n");
  use_file(
      "import torch\n\ndef check(x):\n    raise ValueError('x must have 3 dimensions')\n\ndef py_raises(x):\n    "
      "return check(x)\n"
      "def py_returns(x):\n    return object()\n"
      "def py_exits(x):\n    raise SystemExit(3)\n",
      "py_raises: {source: golden.py}, py_broken: {source: broken.py}, py_returns: {source: golden.py}, py_exits: "
      "{source: golden.py}");
  EXPECT_EQ(error_of([&] { call("py_raises", {at::ones({2})}); }),
            (folder_ / "golden.py") + ":4: ValueError: x must have 3 dimensions");
  EXPECT_EQ(error_of([&] { call("py_raises", {}); }),
            (folder_ / "golden.py") + ": TypeError: py_raises() missing 1 required positional argument: 'x'");
  EXPECT_EQ(error_of([&] { call("py_broken", {at::ones({2})}); }),
            (folder_ / "broken.py") + ":2: SyntaxError: invalid syntax");
  EXPECT_THAT(error_of([&] { call("py_returns", {at::ones({2})}); }),
              HasSubstr("TypeError: the golden returns object, expected tensors"));
  EXPECT_THAT(error_of([&] { call("py_exits", {at::ones({2})}); }), HasSubstr("SystemExit: 3"));
}

TEST_F(PythonGoldenTest, AnErrorOfTheGradientsNamesItsPlaceToo) {
  use_file("def py_f(x):\n    return x * 2\ndef py_g(grad, x):\n    raise RuntimeError('no gradient today')\n",
           "py_f: {source: golden.py, backward: py_g}");
  at::Tensor x = at::ones({2}).requires_grad_(true);
  at::Tensor y = output(call("py_f", {x}));
  EXPECT_THAT(error_of([&] { y.sum().backward(); }),
              HasSubstr((folder_ / "golden.py") + ":4: RuntimeError: no gradient today"));
}

TEST_F(PythonGoldenTest, AProcessThatDiesCostsItsCallAndIsStartedAnew) {
  use_file(
      "import os, sys\ndef py_dies(x):\n    print('these are the last words', file=sys.stderr)\n    os.abort()\n"
      "def py_lives(x):\n    return x + 1\n",
      "py_dies: {source: golden.py}, py_lives: {source: golden.py}");
  at::Tensor x = at::ones({2}).requires_grad_(true);
  at::Tensor y = output(call("py_lives", {x}));
  EXPECT_EQ(
      error_of([&] { call("py_dies", {at::ones({2})}); }),
      "the process of the Python goldens was ended by a signal: Aborted; its last words: these are the last words");
  expect_near(output(call("py_lives", {at::ones({2})})), at::full({2}, 2.0));
  EXPECT_THAT(error_of([&] { y.sum().backward(); }), HasSubstr("started anew, which lost the forward call"));
}

TEST_F(PythonGoldenTest, HelpersOfTwoFoldersMayShareTheirNames) {
  folder_.write("a/utils.py", "FACTOR = 2\n");
  folder_.write("b/utils.py", "FACTOR = 3\n");
  folder_.write("b/later.py", "FACTOR = 5\n");
  const std::string a = folder_.write("a/golden.py", "import utils\ndef py_a(x):\n    return x * utils.FACTOR\n");
  folder_.write("b/golden.py",
                "import utils\ndef py_b(x):\n    import later\n    import utils as u\n"
                "    assert u is utils\n    return x * utils.FACTOR * later.FACTOR\n");
  use(read_configuration(
      folder_.write("f.yaml", "operators: {py_a: {source: a/golden.py}, py_b: {source: b/golden.py}}\n")));
  for (int i = 0; i < 2; ++i) {
    expect_near(output(call("py_a", {at::ones({2})})), at::full({2}, 2.0));
    expect_near(output(call("py_b", {at::ones({2})})), at::full({2}, 15.0));
  }
}

TEST_F(PythonGoldenTest, AGoldenWithoutAGraphHasNoGradientRatherThanZeros) {
  use_file(
      "import torch\ndef py_numpy(x):\n    return torch.from_numpy(x.detach().numpy() * 2)\n"
      "def py_second(x):\n    return x * 2, (x * 3).detach()\n",
      "py_numpy: {source: golden.py}, py_second: {source: golden.py}");
  at::Tensor x = at::ones({2}, at::kDouble).requires_grad_(true);
  at::Tensor y = output(call("py_numpy", {x}));
  expect_near(y, at::full({2}, 2.0, at::kDouble));
  EXPECT_EQ(error_of([&] { y.sum().backward(); }),
            "the golden (Python " + (folder_ / "golden.py:2") +
                ") has no gradient: its outputs do not depend on the inputs for autograd; name a function for it with "
                "backward");
  // An output that none arrives at needs no graph.
  output(call("py_second", {x})).sum().backward();
  expect_near(x.grad(), at::full({2}, 2.0, at::kDouble));
}

TEST_F(PythonGoldenTest, ItsOwnEndIsToldFromOneBySignal) {
  use_file(
      "import os\nclass Stop(BaseException):\n    pass\n"
      "def py_base(x):\n    raise Stop('enough')\n"
      "def py_leaves(x):\n    os._exit(7)\n"
      "def py_closes(x):\n    os.close(3)\n    import time\n    time.sleep(60)\n",
      "py_base: {source: golden.py}, py_leaves: {source: golden.py}, py_closes: {source: golden.py}");
  EXPECT_EQ(error_of([&] { call("py_base", {at::ones({2})}); }), (folder_ / "golden.py") + ":5: Stop: enough");
  EXPECT_EQ(error_of([&] { call("py_leaves", {at::ones({2})}); }),
            "the process of the Python goldens ended with status 7");
  EXPECT_EQ(error_of([&] { call("py_closes", {at::ones({2})}); }),
            "the process of the Python goldens closed its connection");
}

TEST_F(PythonGoldenTest, WhatItPrintsDoesNotGrow) {
  use_file("def py_prints(x):\n    for i in range(3000):\n        print('y' * 1000)\n    return x\n",
           "py_prints: {source: golden.py}");
  for (int i = 0; i < 3; ++i) expect_near(output(call("py_prints", {at::ones({2})})), at::ones({2}));
}

TEST_F(PythonGoldenTest, OneProcessServesAllCalls) {
  use_file("import os\nCALLS = []\ndef py_pid(x):\n    CALLS.append(1)\n    return [os.getpid(), len(CALLS)]\n",
           "py_pid: {source: golden.py}");
  const auto first = check::flatten(call("py_pid", {1})), second = check::flatten(call("py_pid", {1}));
  EXPECT_EQ(first[0].get<int64_t>(), registry_.python().pid());
  EXPECT_EQ(second[0].get<int64_t>(), first[0].get<int64_t>());
  EXPECT_EQ(second[1].get<int64_t>(), 2);
}

TEST_F(PythonGoldenTest, ItDiesWithItsWorker) {
  use_file("import os\ndef py_where(x):\n    return os.getpid()\n", "py_where: {source: golden.py}");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t worker = fork();  // nothing of LibTorch runs over there but what carries no threads
  if (worker == 0) {
    int64_t pid = 0;
    try {
      pid = call("py_where", {1}).get<int64_t>();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    [[maybe_unused]] ssize_t n = write(ends[1], &pid, sizeof pid);
    pause();
    _exit(0);
  }
  int64_t python = 0;
  ASSERT_EQ(read(ends[0], &python, sizeof python), static_cast<ssize_t>(sizeof python));
  ASSERT_GT(python, 0);
  EXPECT_EQ(kill(static_cast<pid_t>(python), 0), 0);
  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    std::ifstream stat("/proc/" + std::to_string(python) + "/stat");
    std::string number, name, state = "X";
    stat >> number >> name >> state;
    gone = state == "X" || state == "Z";
    usleep(20000);
  }
  EXPECT_TRUE(gone);
}

TEST_F(PythonGoldenTest, AForkedChildStartsOneOfItsOwn) {
  use_file("import os\ndef py_here(x):\n    return os.getpid()\n", "py_here: {source: golden.py}");
  const int64_t parents = call("py_here", {1}).get<int64_t>();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    int64_t pid = 0;
    try {
      pid = call("py_here", {1}).get<int64_t>();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    registry_.python().stop();
    [[maybe_unused]] ssize_t n = write(ends[1], &pid, sizeof pid);
    _exit(0);
  }
  int64_t childs = 0;
  ASSERT_EQ(read(ends[0], &childs, sizeof childs), static_cast<ssize_t>(sizeof childs));
  waitpid(child, nullptr, 0);
  EXPECT_GT(childs, 0);
  EXPECT_NE(childs, parents);
  EXPECT_EQ(call("py_here", {1}).get<int64_t>(), parents);  // the child has not ended it
}

// In a process of their own, since a process that found no Python does not look again.
class NoPythonTest : public ::testing::Test {
 protected:
  static void run(const std::string& python, const std::string& expected) {
    Folder folder;
    folder.write("golden.py", "def py_none(x):\n    return x\n");
    const int code = [&] {
      const pid_t child = fork();
      if (child == 0) {
        setenv("MSPROBE_PYTHON", python.c_str(), 1);
        if (python.empty()) setenv("PATH", "/nowhere", 1);
        Registry goldens;
        goldens.add(read_configuration(folder.write("f.yaml", "operators: {py_none: {source: golden.py}}\n")));
        const std::string got = error_of([&] { call(goldens.find("py_none"), {at::ones({2})}); });
        if (got != expected) std::fprintf(stderr, "got      %s\nexpected %s\n", got.c_str(), expected.c_str());
        _exit(got == expected ? 0 : 1);
      }
      int status = 0;
      waitpid(child, &status, 0);
      return status;
    }();
    EXPECT_EQ(code, 0);
  }
};

TEST_F(NoPythonTest, NonePresentIsSaid) {
  run("",
      "goldens in Python need a Python with torch, and no python3 is on PATH; install one, or name it in "
      "MSPROBE_PYTHON");
}

TEST_F(NoPythonTest, AWrongNameIsSaid) {
  run("/nowhere/python",
      "goldens in Python need a Python with torch: MSPROBE_PYTHON names /nowhere/python, which is no program");
}

TEST_F(NoPythonTest, AProgramThatIsNoPythonIsSaid) {
  run("/bin/true",
      "goldens in Python need a Python with torch, and /bin/true is no Python: it ended with status 0; name another "
      "one in MSPROBE_PYTHON");
}

TEST_F(NoPythonTest, OneWithoutTorchIsSaid) {
  if (access("/usr/bin/python3", X_OK) != 0 || std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0)
    GTEST_SKIP() << "no /usr/bin/python3 without torch";
  run("/usr/bin/python3",
      "goldens in Python need a Python with torch, and /usr/bin/python3 has none: ModuleNotFoundError: No module named "
      "'torch'; install torch for it, or name another one in MSPROBE_PYTHON");
}

}  // namespace
}  // namespace msprobe::goldens
