// Lists of precision_standard.yaml that decide how a call is checked: a bare name, one of its kind, one of another.
#include <string>

#include "check/dumped.h"
#include "check/judged.h"

namespace msprobe::check {
namespace {

using outcome::ApiOutcome;
using outcome::Status;

const std::pair<const char*, bool> kEntries[] = {
    {"max", true}, {"Torch.max", true}, {"Tensor.max", false}, {"Torch.min", false}};

Dumped& call_of_max(Dumped& dumped) {
  dumped.args = {dumped.tensor(at::tensor({1.0F, 3.0F, 2.0F, 3.0F}).reshape({2, 2}), /*requires_grad=*/true),
                 Dumped::integer(1)};
  dumped.outputs = {dumped.tensor(at::tensor({3.0F, 3.0F}), true),
                    dumped.tensor(at::tensor(std::vector<int64_t>{1, 1}))};
  return dumped;
}

TEST(ListedNames, NoBackwardApis) {
  for (const auto& [entry, listed] : kEntries) {
    Dumped dumped("Torch.max.0");
    call_of_max(dumped).gradients = {dumped.tensor(at::ones({2})), "null"};
    dumped.standards.no_backward_apis = {entry};
    const ApiOutcome outcome = dumped.check();
    EXPECT_EQ(outcome.message == "backward not run: max is on the list of APIs without a comparable gradient", listed)
        << entry << ": " << outcome.message;
    EXPECT_EQ(outcome.backward == Status::kPass, !listed) << entry;
  }
}

TEST(ListedNames, NotRaised) {
  for (const auto& [entry, listed] : kEntries) {
    Dumped dumped("Torch.max.0");
    call_of_max(dumped).standards.not_raised = {entry};
    EXPECT_EQ(dumped.check().rows[0].bench_dtype, listed ? "torch.float32" : "torch.float64") << entry;
  }
}

// view keeps the shape and its golden is raised, or takes a dtype and must not be: whatever its overload is called.
TEST(ListedNames, ViewIsNotRaisedWhereItIsGivenADtype) {
  Dumped shape("Aten.view.default.0");
  shape.args = {shape.tensor(at::ones({4})), "[" + Dumped::integer(2) + ", " + Dumped::integer(2) + "]"};
  shape.outputs = {shape.tensor(at::ones({2, 2}))};
  EXPECT_EQ(shape.check().rows[0].bench_dtype, "torch.float64");
  Dumped bits("Aten.view.dtype.0");
  bits.args = {bits.tensor(at::ones({4})), R"({"type": "torch.dtype", "value": "torch.int32"})"};
  bits.outputs = {bits.tensor(at::full({4}, 0x3F800000, at::kInt))};
  const ApiOutcome outcome = bits.check();
  EXPECT_EQ(outcome.rows[0].bench_dtype, "torch.int32") << outcome.message;
  EXPECT_EQ(outcome.forward, Status::kPass);
}

TEST(ListedNames, JudgedOutputs) {
  for (const auto& [entry, listed] : kEntries) {
    Dumped dumped("Torch.max.0");
    call_of_max(dumped).standards.judged_outputs = {};
    EXPECT_TRUE(dumped.standards.judged_outputs.add(entry, 1));
    EXPECT_EQ(dumped.check().rows.size(), listed ? 1u : 2u) << entry;
  }
}

// x[1] == x[3] is a tie of indices.
TEST(ListedNames, IndexApis) {
  for (const auto& [entry, listed] : kEntries) {
    Dumped dumped("Torch.max.0");
    dumped.standards.index_apis = {entry};
    dumped.args = {dumped.tensor(at::tensor(std::vector<int64_t>{0, 2, 1, 2})), Dumped::integer(0)};
    const Rebuilt rebuilt = dumped.rebuilt();
    Called called;
    called.device.arguments = rebuilt.inputs;
    called.golden.outputs = {at::tensor(2), at::tensor(std::vector<int64_t>{1})};
    called.device.outputs = {at::tensor(2), at::tensor(std::vector<int64_t>{3})};
    EXPECT_EQ(judge(dumped.session(), rebuilt, called).rows[1].status, listed ? Status::kPass : Status::kError)
        << entry;
  }
}

TEST(ListedNames, DtypeDefaults) {
  const std::pair<const char*, bool> entries[] = {
      {"rms_norm", true}, {"Functional.rms_norm", true}, {"Torch.rms_norm", false}};
  for (const auto& [entry, listed] : entries) {
    Dumped dumped("Functional.rms_norm.0");
    dumped.args = {dumped.tensor(at::ones({2, 4})), "[" + Dumped::integer(4) + "]"};
    dumped.outputs = {dumped.tensor(at::ones({2, 4}))};
    dumped.standards.dtype_defaults = {};
    EXPECT_TRUE(dumped.standards.dtype_defaults.add(entry, {"eps", config::DtypeDefault::kEps}));
    EXPECT_EQ(dumped.check().message.starts_with("golden with eps="), listed) << entry;
  }
}

}  // namespace
}  // namespace msprobe::check
