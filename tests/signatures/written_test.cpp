// What an operator writes to, as PyTorch's schemas mark it.
#include "signatures/written.h"

#include <gmock/gmock.h>

namespace msprobe::signatures {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Form kTensor = Form::kTensor, kTensors = Form::kTensors, kFloating = Form::kFloating, kBool = Form::kBool;

std::vector<std::string> written(const char* api, std::vector<Form> args,
                                 std::vector<std::pair<std::string_view, Form>> kwargs = {}) {
  return written_parameters(dump::parse_api_name(std::string(api) + ".0"), {std::move(args), std::move(kwargs)});
}

// _native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var,
// ...), and an overload without them.
TEST(Written, TensorsThatTheSchemaMarks) {
  const Form t = kTensor;
  EXPECT_THAT(written("Torch._native_batch_norm_legit", {t, t, t, t, t, kBool, kFloating, kFloating}),
              ElementsAre("running_mean", "running_var"));
  EXPECT_THAT(written("Torch._native_batch_norm_legit", {t, t, t, kBool, kFloating, kFloating}), IsEmpty());
  EXPECT_THAT(written("Torch.embedding_renorm_", {t, t, kFloating, kFloating}), ElementsAre("self"));
}

// _fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, ..., Tensor[] state_steps, ...)
TEST(Written, ListsWhoseItemsTheSchemaMarks) {
  const Form f = kFloating;
  EXPECT_THAT(written("Torch._fused_adam_", std::vector<Form>(6, kTensors),
                      {{"lr", f},
                       {"beta1", f},
                       {"beta2", f},
                       {"weight_decay", f},
                       {"eps", f},
                       {"amsgrad", kBool},
                       {"maximize", kBool}}),
              ElementsAre("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"));
}

TEST(Written, OutAndWhatOnlyReadsAreNot) {
  EXPECT_THAT(written("Torch.add", {kTensor, kTensor}, {{"out", kTensor}}), IsEmpty());
  EXPECT_THAT(written("Torch.batch_norm", {kTensor}), IsEmpty());
  EXPECT_THAT(written("NPU.npu_swiglu", {kTensor}), IsEmpty());
}

}  // namespace
}  // namespace msprobe::signatures
