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
  EXPECT_EQ(verdict(outcome.rows[0]), "error|二进制一致错误率 0.5 > 0: 2 of 4 elements differ, by up to 2");
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

}  // namespace
}  // namespace msprobe::check
