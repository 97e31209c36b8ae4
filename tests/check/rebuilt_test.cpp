// What a record is rebuilt to, before anything is called.
#include "check/rebuilt.h"

#include "check/dumped.h"
#include "check/skip.h"
#include "check/ways.h"

namespace msprobe::check {
namespace {

at::Tensor ones() {
  return at::ones({2});
}

TEST(Rebuilt, HoldsInputsAndGradientsInTheRecordedDtypes) {
  Dumped dumped("Torch.mul.3");
  const at::Tensor x = at::tensor({1.5F, -2.0F}).to(at::kHalf), g = at::tensor({0.5F, 4.0F}).to(at::kHalf);
  dumped.args = {dumped.tensor(x, true), Dumped::integer(3)};
  dumped.outputs = {dumped.tensor(x * 3, true)};
  dumped.gradients = {dumped.tensor(g)};
  const Rebuilt rebuilt = dumped.rebuilt();
  EXPECT_EQ(rebuilt.name().full, "Torch.mul.3");
  ASSERT_EQ(rebuilt.inputs.args.size(), 2u);
  EXPECT_TRUE(rebuilt.inputs.args[0].get<at::Tensor>().equal(x));
  EXPECT_TRUE(rebuilt.inputs.args[0].get<at::Tensor>().requires_grad());
  EXPECT_EQ(rebuilt.inputs.args[1].get<int64_t>(), 3);
  ASSERT_EQ(rebuilt.output_gradients.size(), 1u);
  EXPECT_TRUE(rebuilt.output_gradients[0].get<at::Tensor>().equal(g));
  EXPECT_TRUE(rebuilt.wants_backward());
  EXPECT_TRUE(rebuilt.grad_mode);
  EXPECT_FALSE(rebuilt.in_place);
  EXPECT_EQ(rebuilt.recorded.size(), 1u);
  EXPECT_TRUE(recorded_tensor(dumped.session(), rebuilt, 0).equal(x * 3));
  EXPECT_EQ(rebuilt.notes, (Notes{""}));
}

// `recorded` points into the record: it is still right in a value that was moved.
TEST(Rebuilt, MayBeMoved) {
  Dumped dumped("Torch.max.0");
  dumped.args = {dumped.tensor(ones()), Dumped::integer(0)};
  dumped.outputs = {dumped.tensor(at::ones({})), dumped.tensor(at::zeros({}, at::kLong))};
  Rebuilt first = dumped.rebuilt();
  const Rebuilt moved = std::move(first);
  ASSERT_EQ(moved.recorded.size(), 2u);
  EXPECT_EQ(moved.recorded[1], &(*moved.record.forward.output)[1]);
  EXPECT_EQ(moved.recorded[1]->get_if<dump::TensorMeta>()->dtype, "torch.int64");
}

TEST(Rebuilt, KnowsACallThatChangesItsArgument) {
  for (const char* api : {"Tensor.mul_.0", "Tensor.__imul__.0", "Tensor.__setitem__.0"}) {
    Dumped dumped(api);
    dumped.args = {dumped.tensor(ones()), Dumped::integer(1), Dumped::integer(1)};
    EXPECT_TRUE(dumped.rebuilt().in_place) << api;
  }
  Dumped dumped("Tensor.__mul__.0");
  dumped.args = {dumped.tensor(ones()), Dumped::integer(1)};
  EXPECT_FALSE(dumped.rebuilt().in_place);
}

TEST(Rebuilt, GradientsAreOffWhereTheRecordShowsThatTheyWere) {
  for (const bool carried : {true, false}) {
    Dumped dumped("Torch.neg.0");
    dumped.args = {dumped.tensor(ones(), true)};
    dumped.outputs = {dumped.tensor(-ones(), carried)};
    EXPECT_EQ(dumped.rebuilt().grad_mode, carried);
  }
}

TEST(Rebuilt, SaysWhyBackwardIsNotToRun) {
  Dumped out("Torch.add.0");
  out.args = {out.tensor(ones(), true), out.tensor(ones())};
  out.kwargs = {{"out", out.tensor(ones())}};
  out.outputs = {out.tensor(ones() + 1)};
  out.gradients = {out.tensor(ones())};
  const Rebuilt rebuilt = out.rebuilt();
  EXPECT_FALSE(rebuilt.wants_backward());
  EXPECT_EQ(rebuilt.no_backward, "backward not run: the call has out=, which takes no gradient");
  EXPECT_TRUE(rebuilt.output_gradients.empty());
  out.gradients.clear();
  const Rebuilt none = out.rebuilt();
  EXPECT_FALSE(none.wants_backward());
  EXPECT_EQ(none.no_backward, "");
}

TEST(Rebuilt, KnowsWhatTheRecordedOutputTells) {
  Dumped mixed("Torch.matmul.0");  // float32 arguments, a bfloat16 result
  mixed.args = {mixed.tensor(at::ones({2, 2})), mixed.tensor(at::ones({2, 2}))};
  mixed.outputs = {mixed.tensor(at::full({2, 2}, 2.0F).to(at::kBFloat16))};
  EXPECT_EQ(mixed.rebuilt().autocast, at::kBFloat16);
  EXPECT_EQ(mixed.rebuilt().lost_dtype, std::nullopt);

  Dumped dtype("Tensor.type.0");
  dtype.args = {dtype.tensor(ones()), "{}"};
  dtype.outputs = {dtype.tensor(ones().to(at::kHalf))};
  EXPECT_EQ(dtype.rebuilt().lost_dtype, at::kHalf);
  EXPECT_TRUE(dtype.rebuilt().not_raised);
}

TEST(Rebuilt, WhatIsRandomByItsArgumentsIsSkipped) {
  Dumped dumped("Functional.scaled_dot_product_attention.0");
  const std::string x = dumped.tensor(at::ones({1, 2, 2}));
  dumped.args = {x, x, x};
  dumped.kwargs = {{"dropout_p", R"({"type": "float", "value": 0.5})"}};
  try {
    const Rebuilt rebuilt = dumped.rebuilt();
    FAIL() << "rebuilt";
  } catch (const Skip& skip) {
    EXPECT_EQ(skip.reason, outcome::Reason::kSkipped);
    EXPECT_NE(std::string(skip.what()).find("random"), std::string::npos) << skip.what();
  }
}

TEST(Ways, ANameThatNothingHasIsSkipped) {
  Dumped dumped("Torch.no_such_operator.0");
  dumped.args = {dumped.tensor(ones())};
  const Rebuilt rebuilt = dumped.rebuilt();
  EXPECT_THROW(find_ways(dumped.session(), rebuilt), Skip);
}

// The words are PyTorch's, which a Python program cannot have gone on behind; profile mindstudio does not look.
TEST(Rebuilt, WhatPythonRefusesIsNotRun) {
  const auto prepare = [](Dumped& dumped) {
    dumped.args = {dumped.tensor(at::ones({1, 3})), "null", "null"};
    dumped.kwargs = {{"training", R"({"type": "bool", "value": true})"}};
    dumped.outputs = {dumped.tensor(at::zeros({1, 3}))};
  };
  Dumped dumped("Functional.batch_norm.0"), mindstudio("Functional.batch_norm.0");
  prepare(dumped);
  EXPECT_EQ(verdict(dumped.check().rows.at(0)),
            "SKIP|Python refuses the call: ValueError: Expected more than 1 value per channel when training, got input "
            "size torch.Size([1, 3])");
  prepare(mindstudio);
  mindstudio.options.inputs.profile = config::Profile::kMindstudio;
  EXPECT_NE(mindstudio.check().forward, outcome::Status::kSkip);
}

}  // namespace
}  // namespace msprobe::check
