// Goldens in shared libraries: values, gradients, and libraries that do not fit.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <torch/version.h>
#include <unistd.h>

#include "goldens/support.h"
#include "goldens/user/golden_library.h"

namespace msprobe::goldens {
namespace {

using inputs::List;
using ops::Value;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GoldenLibraryTest : public UsersGoldens {
 protected:
  void use_yaml(const std::string& operators) {
    use(read_configuration(folder_.write("f.yaml", "operators: {" + operators + "}\n")));
  }
  Folder folder_;
  const std::string library_ = MSPROBE_PLUGINS "/plugin_goldens.so";
};

TEST_F(GoldenLibraryTest, ComputesForwardAndAutogradRunsThroughIt) {
  use_yaml("lib_swiglu: {source: " + library_ + "}");
  auto by_hand = [](const at::Tensor& x) {
    at::Tensor a = x.slice(-1, 0, 3), b = x.slice(-1, 3, 6);
    return a / (1 + at::exp(-a)) * b;
  };
  at::Tensor x = wave({2, 6}, 0.4).requires_grad_(true), g = wave({2, 3}, 1.0);
  at::Tensor y = output(call("lib_swiglu", {x}));
  expect_near(y, by_hand(x));
  y.backward(g);
  expect_near(x.grad(), numerical(by_hand, x, g), 1e-9);
}

TEST_F(GoldenLibraryTest, ArgumentsOfAllKindsArrive) {
  use_yaml("lib_scaled: {source: " + library_ + "}, lib_pieces: {source: " + library_ + "}");
  at::Tensor x = wave({2, 3}, 0), b = wave({3}, 1);
  auto r = call("lib_scaled", {x, b}, {{"scale", 2}, {"dims", List{{Value(1)}}}, {"mode", "mean"}});
  expect_near(output(r), x * 2 + b);
  expect_near(output(r, 1), at::sum(x * 2 + b, {1}) / 3);
  expect_near(output(call("lib_scaled", {x}), 1), x[0] + x[1]);
  auto pieces = call("lib_pieces", {List{{Value(x), Value(b)}}, true});
  expect_near(output(pieces, 0), b);
  expect_near(output(pieces, 1), x);
}

TEST_F(GoldenLibraryTest, ABackwardFunctionOfItsOwnIsUsed) {
  use_yaml("lib_product: {source: " + library_ + "}");
  at::Tensor x = wave({3}, 0).requires_grad_(true), y = wave({3}, 1).requires_grad_(true);
  output(call("lib_product", {x, y})).backward(at::ones({3}, at::kDouble));
  expect_near(x.grad(), 10 * y.detach());
  EXPECT_FALSE(y.grad().defined());
}

TEST_F(GoldenLibraryTest, WhatTheGoldenThrowsIsTheReason) {
  use_yaml("lib_scaled: {source: " + library_ + "}");
  EXPECT_THAT(error_of([&] {
                call("lib_scaled", {at::ones({2})}, {{"mode", "max"}});
              }),
              StartsWith("mode max is neither sum nor mean"));
  EXPECT_EQ(error_of([&] {
              call("lib_scaled", {at::ones({2})}, {{"scale", "a"}});
            }),
            "lib_scaled: argument scale takes float, got str 'a'");
}

TEST_F(GoldenLibraryTest, LibrariesThatDoNotFitAreRefusedWithTheReason) {
  const std::string text = folder_.write("text.so", "no library");
  use_yaml("lib_abi: {source: " MSPROBE_PLUGINS "/plugin_stale_abi.so}, lib_torch: {source: " MSPROBE_PLUGINS
           "/plugin_stale_torch.so}, lib_text: {source: text.so}, lib_swiglo: {source: " +
           library_ + "}");
  const std::vector<Value> x{at::ones({2})};
  EXPECT_EQ(error_of([&] { call("lib_abi", x); }), MSPROBE_PLUGINS
            "/plugin_stale_abi.so was built for version 77 of msprobe/plugin.h, this program has version 1: "
            "build it with the header of this msprobe");
  EXPECT_EQ(error_of([&] { call("lib_torch", x); }),
            MSPROBE_PLUGINS "/plugin_stale_torch.so was built with LibTorch 1.2.3, this program with " TORCH_VERSION
                            ": build it with the same");
  EXPECT_THAT(error_of([&] { call("lib_text", x); }), StartsWith("cannot load " + text));
  EXPECT_EQ(error_of([&] { call("lib_swiglo", x); }), library_ + " has no golden lib_swiglo, did you mean lib_swiglu?");
}

TEST_F(GoldenLibraryTest, ALibraryWithoutTheEntryIsToldFromOneOfGoldens) {
  // Any library that is loaded already will do.
  std::ifstream maps("/proc/self/maps");
  std::string library;
  for (std::string line; std::getline(maps, line) && library.empty();)
    if (line.find("/libc.so.6") != std::string::npos) library = line.substr(line.find('/'));
  if (library.empty()) GTEST_SKIP() << "no libc.so.6 in /proc/self/maps";
  use_yaml("lib_none: {source: " + library + "}");
  EXPECT_EQ(error_of([&] { call("lib_none", {at::ones({2})}); }),
            library +
                " is no library of goldens: it has no symbol msprobe_plugin; include msprobe/plugin.h and name the "
                "functions with MSPROBE_GOLDEN");
}

// plugin_constructor.cpp leaves the file that MSPROBE_TEST_MARK names when it is loaded.
TEST_F(GoldenLibraryTest, NoConstructorRunsOfALibraryThatIsRefused) {
  const std::string mark = folder_ / "mark";
  setenv("MSPROBE_TEST_MARK", mark.c_str(), 1);
  use_yaml("lib_none: {source: " MSPROBE_PLUGINS "/plugin_no_entry.so}, lib_old: {source: " MSPROBE_PLUGINS
           "/plugin_other_torch.so}");
  EXPECT_THAT(error_of([&] { call("lib_none", {at::ones({2})}); }),
              StartsWith(MSPROBE_PLUGINS "/plugin_no_entry.so is no library of goldens: it has no symbol"));
  EXPECT_EQ(error_of([&] { call("lib_old", {at::ones({2})}); }),
            MSPROBE_PLUGINS "/plugin_other_torch.so was built with LibTorch 1.2.3, this program with " TORCH_VERSION
                            ": build it with the same");
  unsetenv("MSPROBE_TEST_MARK");
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(GoldenLibraryTest, AFifoIsNotWaitedFor) {
  const std::string fifo = folder_ / "fifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  UserOperator op;  // as it was named before it was a FIFO
  op.file = fifo;
  op.forward = "lib_fifo";
  constexpr unsigned kSeconds = 20;
  alarm(kSeconds);
  EXPECT_EQ(error_of([&] { library_golden(op)->call({{at::ones({2})}, {}}); }), fifo + " is not a regular file");
  EXPECT_EQ(error_of([&] { use_yaml("lib_fifo: {source: fifo.so}"); }),
            (folder_ / "f.yaml:1: source: ") + fifo + " is no regular file; name a .py, .pt or .so file");
  alarm(0);
}

TEST_F(GoldenLibraryTest, ALibraryThatIsCutShortIsRefused) {
  std::ifstream whole(library_, std::ios::binary);
  std::string bytes(4096, '\0');
  whole.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::string half = folder_.write("half.so", bytes);
  use_yaml("lib_half: {source: " + half + "}");
  EXPECT_EQ(error_of([&] { call("lib_half", {at::ones({2})}); }),
            half + " is cut short: a table of its ELF header lies outside it");
}

}  // namespace
}  // namespace msprobe::goldens
