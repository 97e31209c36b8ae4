// Ties are granted to indices alone: an integer value that differs is an error, even where it would be a valid index.
#include "check/dumped.h"
#include "check/judged.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Status;

// x[1] == x[3]: as indices 1 and 3 are a tie, as values they are two numbers.
const std::vector<int64_t> kNumbers = {0, 2, 1, 2};

// Of a call whose sides gave these outputs.
outcome::ApiOutcome judged(Dumped& dumped, std::vector<Value> golden, std::vector<Value> device) {
  const Rebuilt rebuilt = dumped.rebuilt();
  Called called;
  called.device.arguments = rebuilt.inputs;
  called.golden.outputs = std::move(golden);
  called.device.outputs = std::move(device);
  return judge(dumped.session(), rebuilt, called);
}

struct Case {
  const char* api;
  std::vector<std::string> further;  // arguments behind the input
  std::vector<std::vector<int64_t>> golden, device;
  std::vector<Status> expected;
};

constexpr auto kPass = Status::kPass;
constexpr auto kError = Status::kError;

TEST(IndexVerdict, IntegerValuesHaveNoTies) {
  const auto n = Dumped::integer;
  const std::vector<Case> cases = {
      {"Torch.max", {}, {{1}}, {{3}}, {kError}},
      {"Tensor.min", {}, {{1}}, {{3}}, {kError}},
      {"Torch.median", {}, {{1}}, {{3}}, {kError}},
      {"Torch.max", {n(0)}, {{1}, {1}}, {{3}, {1}}, {kError, kPass}},
      {"Torch.max", {n(0)}, {{2}, {1}}, {{2}, {3}}, {kPass, kPass}},
      {"Torch.max", {n(0)}, {{2}, {1}}, {{2}, {2}}, {kPass, kError}},
      {"Torch.kthvalue", {n(1)}, {{1}, {1}}, {{3}, {3}}, {kError, kPass}},
      {"Torch.mode", {n(0)}, {{1}, {1}}, {{3}, {3}}, {kError, kPass}},
      {"Torch.median", {n(0)}, {{1}, {1}}, {{3}, {3}}, {kError, kPass}},
      {"Torch.topk", {n(1)}, {{1}, {1}}, {{3}, {3}}, {kError, kPass}},
      {"Torch.sort", {}, {{0, 1, 2, 3}, {0, 2, 1, 3}}, {{0, 3, 2, 1}, {0, 2, 3, 1}}, {kError, kPass}},
      {"Torch.cummax", {n(0)}, {{1, 1, 1, 1}, {0, 1, 1, 3}}, {{1, 1, 1, 3}, {0, 1, 1, 1}}, {kError, kPass}},
      {"Torch.argmax", {}, {{1}}, {{3}}, {kPass}},
      {"Torch.argmax", {}, {{1}}, {{2}}, {kError}},
      {"Tensor.argsort", {}, {{0, 2, 1, 3}}, {{0, 2, 3, 1}}, {kPass}},
      {"Aten.max.dim", {n(0)}, {{2}, {1}}, {{2}, {3}}, {kPass, kPass}},
      {"Aten.max.dim", {n(0)}, {{1}, {1}}, {{3}, {3}}, {kError, kPass}},
  };
  for (const Case& c : cases) {
    Dumped dumped(std::string(c.api) + ".0");
    const at::Tensor x = at::tensor(kNumbers);
    dumped.args = {dumped.tensor(x)};
    for (const auto& a : c.further) dumped.args.push_back(a);
    std::vector<Value> golden, device;
    for (const auto& v : c.golden) golden.emplace_back(at::tensor(v));
    for (const auto& v : c.device) device.emplace_back(at::tensor(v));
    const auto rows = judged(dumped, golden, device).rows;
    for (size_t i = 0; i < c.expected.size(); ++i)
      EXPECT_EQ(rows[i].status, c.expected[i]) << c.api << " output " << i << ": " << rows[i].message;
  }
}

TEST(IndexVerdict, TheLargerOfTwoTensorsIsNoIndex) {
  Dumped dumped("Torch.max.0");
  const at::Tensor x = at::tensor(kNumbers);
  dumped.args = {dumped.tensor(x), dumped.tensor(x)};
  const auto outcome = judged(dumped, {Value(at::tensor(std::vector<int64_t>{0, 1, 2, 3}))},
                              {Value(at::tensor(std::vector<int64_t>{0, 3, 2, 1}))});
  EXPECT_EQ(verdict(outcome.rows[0]),
            "error|二进制一致错误率 0.5 > 0: 2 of 4 elements differ, by up to 2; as the CPU in float32 arithmetic");
}

TEST(IndexVerdict, AnInputGivenByNameHasTiesToo) {
  Dumped dumped("Torch.argmax.0");
  dumped.kwargs = {{"input", dumped.tensor(at::tensor(kNumbers))}};
  const auto outcome =
      judged(dumped, {Value(at::scalar_tensor(1, at::kLong))}, {Value(at::scalar_tensor(3, at::kLong))});
  EXPECT_EQ(outcome.rows[0].status, kPass) << outcome.rows[0].message;
}

// A device that lists a value twice may number its elements by either place.
TEST(IndexVerdict, UniquesInverseSelectsFromTheDevicesValues) {
  const std::string yes = R"({"type": "bool", "value": true})", no = R"({"type": "bool", "value": false})";
  struct Case {
    std::vector<std::string> args;
    std::vector<int64_t> inverse;
    Status expected;
  };
  for (const Case& c : {Case{{yes, yes}, {0, 2}, kPass}, Case{{yes, yes}, {0, 0}, kError},
                        Case{{yes, no, yes}, {0, 2}, kError},  // counts, not indices
                        Case{{yes, yes, no, Dumped::integer(0)}, {0, 2}, kError}}) {
    Dumped dumped("Torch.unique.0");
    dumped.args = {dumped.tensor(at::tensor({1.0F, 2.0F}))};
    for (const auto& a : c.args) dumped.args.push_back(a);
    const Value values(at::tensor({1.0F, 2.0F, 2.0F}));
    const auto outcome =
        judged(dumped, {values, Value(at::tensor(std::vector<int64_t>{0, 1}))}, {values, Value(at::tensor(c.inverse))});
    EXPECT_EQ(outcome.rows[1].status, c.expected) << outcome.rows[1].message;
  }
}

// PyTorch: stable=True keeps equal elements in their order, so PyTorch gives [0, 2, 1, 3] for these values and no
// other.
TEST(IndexVerdict, AStableSortHasNoTies) {
  const std::string yes = R"({"type": "bool", "value": true})", no = R"({"type": "bool", "value": false})";
  for (const char* api : {"Torch.sort", "Tensor.sort", "Torch.argsort", "Aten.sort.stable"}) {
    for (const bool stable : {true, false}) {
      if (!stable && std::string(api) == "Aten.sort.stable") continue;
      Dumped dumped(std::string(api) + ".0");
      dumped.args = {dumped.tensor(at::tensor(kNumbers))};
      dumped.kwargs = {{"stable", stable ? yes : no}};
      const Value values(at::tensor(std::vector<int64_t>{0, 1, 2, 2}));
      const Value in_order(at::tensor(std::vector<int64_t>{0, 2, 1, 3})),
          out_of_order(at::tensor(std::vector<int64_t>{0, 2, 3, 1}));
      const bool alone = std::string(api) == "Torch.argsort";
      const auto outcome = alone ? judged(dumped, {in_order}, {out_of_order})
                                 : judged(dumped, {values, in_order}, {values, out_of_order});
      const auto& row = outcome.rows.back();
      EXPECT_EQ(row.status, stable ? kError : kPass) << api << row.message;
      if (stable) {
        EXPECT_EQ(
            row.message,
            "二进制一致错误率 0.5 > 0: 2 of 4 elements differ, by up to 2; the order among equal values is part of a "
            "stable sort, so no index is a tie; as the CPU in float32 arithmetic");
      }
    }
  }
}

struct PoolCase {
  const char* api;
  std::vector<std::pair<std::string, std::string>> kwargs;
  std::vector<float> input;
  std::vector<int64_t> shape;           // of the input
  std::vector<int64_t> golden, device;  // indices
  std::vector<int64_t> output;          // their shape
  Status expected;
};

// Windows worked out by hand from the formulas that PyTorch documents.
TEST(IndexVerdict, PoolIndicesAreTiesWithinTheirWindow) {
  const auto n = Dumped::integer;
  const auto pair = [&](int64_t a, int64_t b) { return "[" + n(a) + ", " + n(b) + "]"; };
  const std::string yes = R"({"type": "bool", "value": true})";
  const std::vector<float> line = {5, 5, 1, 5, 0, 5};
  const std::vector<PoolCase> cases = {
      // 0 1 | 2 3 | 4 5
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(2)}},
       line,
       {1, 1, 6},
       {0, 3, 5},
       {1, 3, 5},
       {1, 1, 3},
       kPass},
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(2)}},
       line,
       {1, 1, 6},
       {0, 3, 5},
       {0, 1, 5},
       {1, 1, 3},
       kError},
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(2)}},
       line,
       {1, 1, 6},
       {0, 3, 5},
       {0, 2, 5},
       {1, 1, 3},
       kError},
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(2)}},
       line,
       {1, 6},
       {0, 3, 5},
       {1, 3, 9},
       {1, 3},
       kError},
      // stride 1, dilation 2: 0 2 | 1 3 | 2 4 | 3 5
      {"Functional.max_pool1d",
       {{"kernel_size", n(2)}, {"stride", n(1)}, {"dilation", n(2)}, {"return_indices", yes}},
       line,
       {1, 1, 6},
       {0, 1, 2, 3},
       {0, 3, 2, 5},
       {1, 1, 4},
       kPass},
      {"Functional.max_pool1d",
       {{"kernel_size", n(2)}, {"stride", n(1)}, {"dilation", n(2)}, {"return_indices", yes}},
       line,
       {1, 1, 6},
       {0, 1, 2, 3},
       {1, 3, 2, 5},
       {1, 1, 4},
       kError},
      // kernel 3, stride 3, padding 1: - 0 1 | 2 3 4 | 5 (ceil_mode)
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(3)}, {"padding", n(1)}},
       line,
       {1, 1, 6},
       {0, 3},
       {1, 3},
       {1, 1, 2},
       kPass},
      {"Functional.max_pool1d_with_indices",
       {{"kernel_size", n(3)}, {"padding", n(1)}},
       line,
       {1, 1, 6},
       {0, 3},
       {0, 5},
       {1, 1, 2},
       kError},
      // 2 x 2 over rows 7 7 0 / 7 0 7: the window over columns 0 and 1 has 0, 1 and 3, not 5
      {"Functional.max_pool2d_with_indices",
       {{"kernel_size", pair(2, 2)}, {"stride", n(1)}},
       {7, 7, 0, 7, 0, 7},
       {1, 1, 2, 3},
       {0, 1},
       {3, 5},
       {1, 1, 1, 2},
       kPass},
      {"Functional.max_pool2d_with_indices",
       {{"kernel_size", pair(2, 2)}, {"stride", n(1)}},
       {7, 7, 0, 7, 0, 7},
       {1, 1, 2, 3},
       {0, 1},
       {5, 5},
       {1, 1, 1, 2},
       kError},
      // two planes: each index counts within its own
      {"Aten.max_pool2d_with_indices",
       {{"kernel_size", pair(1, 2)}},
       {3, 3, 1, 2},
       {1, 2, 1, 2},
       {0, 1},
       {1, 1},
       {1, 2, 1, 1},
       kPass},
      {"Aten.max_pool2d_with_indices",
       {{"kernel_size", pair(1, 2)}},
       {3, 3, 1, 2},
       {1, 2, 1, 2},
       {0, 1},
       {1, 0},
       {1, 2, 1, 1},
       kError},
      {"Functional.max_pool3d_with_indices",
       {{"kernel_size", n(2)}},
       {4, 0, 0, 0, 0, 0, 0, 4},
       {1, 1, 2, 2, 2},
       {0},
       {7},
       {1, 1, 1, 1, 1},
       kPass},
      // 7 to 3: [0, 3), [2, 5), [4, 7)
      {"Functional.adaptive_max_pool1d_with_indices",
       {{"output_size", n(3)}},
       {1, 1, 1, 1, 1, 1, 1},
       {1, 1, 7},
       {0, 2, 4},
       {2, 4, 6},
       {1, 1, 3},
       kPass},
      {"Functional.adaptive_max_pool1d_with_indices",
       {{"output_size", n(3)}},
       {1, 1, 1, 1, 1, 1, 1},
       {1, 1, 7},
       {0, 2, 4},
       {3, 2, 4},
       {1, 1, 3},
       kError},
      // less than the window's size away
      {"Functional.fractional_max_pool2d_with_indices",
       {{"kernel_size", n(2)}, {"output_size", pair(1, 1)}, {"_random_samples", "null"}},
       {1, 1, 1, 1},
       {1, 1, 1, 4},
       {0},
       {1},
       {1, 1, 1, 1},
       kPass},
      {"Functional.fractional_max_pool2d_with_indices",
       {{"kernel_size", n(2)}, {"output_size", pair(1, 1)}, {"_random_samples", "null"}},
       {1, 1, 1, 1},
       {1, 1, 1, 4},
       {0},
       {2},
       {1, 1, 1, 1},
       kError},
  };
  for (const PoolCase& c : cases) {
    Dumped dumped(std::string(c.api) + ".0");
    dumped.args = {dumped.tensor(at::tensor(c.input).reshape(c.shape))};
    dumped.kwargs = c.kwargs;
    if (std::string(c.api).find("fractional") != std::string::npos)
      dumped.kwargs.back().second = dumped.tensor(at::full({1, 1, 2}, 0.5F));
    const Value values(at::zeros(c.output));
    const auto outcome = judged(dumped, {values, Value(at::tensor(c.golden).reshape(c.output))},
                                {values, Value(at::tensor(c.device).reshape(c.output))});
    EXPECT_EQ(outcome.rows[1].status, c.expected) << c.api << c.golden << c.device << outcome.rows[1].message;
  }
}

TEST(IndexVerdict, APoolsMessageSaysWhatIsWrong) {
  Dumped dumped("Functional.max_pool1d_with_indices.0");
  dumped.args = {dumped.tensor(at::tensor({5.0F, 5.0F, 1.0F, 5.0F, 0.0F, 5.0F}).reshape({1, 6}))};
  dumped.kwargs = {{"kernel_size", Dumped::integer(2)}};
  const auto indices = [](std::vector<int64_t> i) { return Value(at::tensor(i).reshape({1, 3})); };
  const Value values(at::full({1, 3}, 5.0F));
  EXPECT_EQ(
      verdict(judged(dumped, {values, indices({0, 3, 5})}, {values, indices({1, 1, 4})}).rows[1]),
      "error|二进制一致错误率 0.666667 > 0: of 3 elements 1 select another value, 1 outside their window; 1 element "
      "is a tie: another index, an equal value; as the CPU in float32 arithmetic");
  EXPECT_EQ(verdict(judged(dumped, {values, indices({0, 3, 5})}, {values, indices({1, 3, 5})}).rows[1]),
            "pass|二进制一致错误率 0; 1 element is a tie: another index, an equal value");
}

}  // namespace
}  // namespace msprobe::check
