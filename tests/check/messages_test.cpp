// What a row's Message tells of a whole call, and the tensors that are kept of it.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "check/dumped.h"
#include "dump/tensor_file.h"

namespace msprobe::check {
namespace {

using outcome::Status;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- what was not done, and why

TEST(Message, SaysWhyBackwardIsNotRun) {
  const at::Tensor x = at::tensor({1.0F, 2.0F}), g = at::ones({2});
  Dumped out("Torch.add.0");
  out.args = {out.tensor(x), out.tensor(x)};
  out.kwargs = {{"out", out.tensor(at::zeros({2}))}};
  out.outputs = {out.tensor(x + x)};
  out.gradients = {out.tensor(g)};
  const auto with_out = out.check();
  EXPECT_EQ(with_out.forward, Status::kPass);
  EXPECT_EQ(with_out.backward, Status::kSkip);
  EXPECT_EQ(with_out.message, "backward not run: the call has out=, which takes no gradient");

  Dumped listed("Torch.masked_select.0");
  listed.args = {listed.tensor(x, true), listed.tensor(at::tensor({1, 0}).to(at::kBool))};
  listed.outputs = {listed.tensor(at::tensor({1.0F}), true)};
  listed.gradients = {listed.tensor(at::ones({1}))};
  const auto on_list = listed.check();
  EXPECT_EQ(on_list.backward, Status::kSkip);
  EXPECT_EQ(on_list.message, "backward not run: masked_select is on the list of APIs without a comparable gradient");

  Dumped shapes("Torch.mul.0");
  shapes.args = {shapes.tensor(x, true), shapes.tensor(x)};
  shapes.outputs = {shapes.tensor(x * x, true)};
  shapes.gradients = {shapes.tensor(at::ones({3}))};
  const auto misfit = shapes.check();
  EXPECT_EQ(misfit.backward, Status::kSkip);
  EXPECT_EQ(misfit.message,
            "backward not run: recorded gradients of shapes (3,) do not meet the outputs that can carry one: (2,)");
}

TEST(Message, SaysFirstThatMemoryRanOut) {
  Dumped dumped("Torch.neg.0", /*real_data=*/false);
  dumped.args = {R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [1000000000000000], "Max": 1, "Min": 0,
                 "Mean": 0, "Norm": 1, "requires_grad": false})"};
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.reason, outcome::Reason::kOutOfMemory);
  EXPECT_EQ(outcome.forward, Status::kSkip);
  EXPECT_EQ(outcome.message,
            "out of memory: Torch.neg.0: input 0: the recorded shape takes 4000000000000000 bytes; run on a host with "
            "more memory");
}

TEST(Message, SaysThatTheGoldenKeepsTheRecordedPrecision) {
  // PyTorch quantises float32 alone.
  Dumped dumped("Torch.quantize_per_tensor.0");
  const at::Tensor x = at::tensor({0.1F, 0.5F});
  dumped.args = {dumped.tensor(x), R"({"type": "float", "value": 0.1})", Dumped::integer(0)};
  dumped.kwargs = {{"dtype", R"({"type": "torch.dtype", "value": "torch.qint8"})"}};
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_THAT(outcome.message, HasSubstr("golden in the recorded precision, since raised to float64 the call fails: "));
}

// ---- the replay against the record

TEST(Message, SaysHowFarTheRecordedOutputIsFromTheReplay) {
  Dumped same("Torch.neg.0"), other("Torch.neg.1");
  const at::Tensor x = at::tensor({1.0F, 2.0F});
  same.args = {same.tensor(x)};
  same.outputs = {same.tensor(-x)};
  EXPECT_EQ(same.check().message, "");
  at::Tensor recorded = -x;
  recorded[0] = std::nextafter(std::nextafter(-1.0F, -2.0F), -2.0F);  // two ULP away
  other.args = {other.tensor(x)};
  other.outputs = {other.tensor(recorded)};
  const auto outcome = other.check();
  EXPECT_EQ(outcome.forward, Status::kPass) << "the verdict is golden against device";
  EXPECT_EQ(outcome.message, "recorded output 0 differs from the replay by up to 2 ULP");
}

TEST(Message, SaysThatTheReplayGivesOtherShapesOrDtypesThanRecorded) {
  const at::Tensor x = at::tensor({1.0F, 2.0F});
  Dumped dumped("Torch.neg.0", /*real_data=*/false);
  dumped.args = {dumped.tensor(x)};
  dumped.outputs = {dumped.tensor(at::zeros({3}))};
  EXPECT_EQ(dumped.check().message, "output 0: replay gives torch.float32 (2,), recorded torch.float32 (3,)");
  Dumped count("Torch.neg.0", /*real_data=*/false);
  count.args = {count.tensor(x)};
  count.outputs = {count.tensor(x), count.tensor(x)};
  EXPECT_EQ(count.check().message, "replay gives 1 output, recorded 2");
}

TEST(Message, SaysWhichNamesakeGaveTheRecordedOutput) {
  // torch.svd gives V, torch.linalg.svd its transpose; both are recorded as Torch.svd.
  Dumped dumped("Torch.svd.0");
  const at::Tensor x = at::tensor({2.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}).reshape({2, 3});
  const auto [u, s, vh] = at::linalg_svd(x, /*full_matrices=*/true);
  dumped.args = {dumped.tensor(x)};
  dumped.outputs = {dumped.tensor(u), dumped.tensor(s), dumped.tensor(vh)};
  const auto outcome = dumped.check();
  EXPECT_THAT(outcome.message, HasSubstr("called as aten::linalg_svd, which gives the recorded output"));
}

TEST(Message, SaysThatAPositionalDtypeWasTakenFromTheRecord) {
  Dumped dumped("Tensor.type.0");
  const at::Tensor x = at::tensor({1.0F, 2.0F});
  dumped.args = {dumped.tensor(x), "{}"};
  dumped.outputs = {dumped.tensor(x.to(at::kHalf))};
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_EQ(outcome.message, "dtype given by position is not recorded, taken from the recorded output");
}

// ---- saved tensors

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(SavedTensors, AreThoseThatWereCompared) {
  Dumped dumped("Tensor.mul_.3");  // in place: the input is saved as it was before the call
  const at::Tensor x = at::tensor({1.0F, 2.0F}), y = at::tensor({3.0F, 5.0F});
  dumped.args = {dumped.tensor(x, true), dumped.tensor(y)};
  dumped.outputs = {dumped.tensor(x * y, true)};
  dumped.gradients = {dumped.tensor(at::ones({2}))};
  dumped.options.save_data = config::SaveData::kAll;
  dumped.options.error_data_dir = dumped.path("ut_error_data1");
  EXPECT_EQ(dumped.check().message, "");
  EXPECT_THAT(files_in(dumped.options.error_data_dir),
              ElementsAre("Tensor.mul_.3.backward.input.0.pt", "Tensor.mul_.3.backward.output.bench.0.pt",
                          "Tensor.mul_.3.backward.output.device.0.pt", "Tensor.mul_.3.forward.input.0.pt",
                          "Tensor.mul_.3.forward.input.1.pt", "Tensor.mul_.3.forward.output.bench.0.pt",
                          "Tensor.mul_.3.forward.output.device.0.pt"));
  const auto read = [&](const std::string& name) {
    const dump::TensorFile file =
        dump::read_tensor_file(dumped.options.error_data_dir, "Tensor.mul_.3." + name + ".pt");
    std::vector<double> numbers;
    for (int i = 0; i < 2; ++i)
      numbers.push_back(file.dtype == dump::Dtype::kFloat64 ? static_cast<const double*>(file.data)[i]
                                                            : double{static_cast<const float*>(file.data)[i]});
    return std::pair(file.dtype, numbers);
  };
  EXPECT_EQ(read("forward.input.0"), std::pair(dump::Dtype::kFloat32, std::vector<double>({1, 2})));
  EXPECT_EQ(read("forward.output.bench.0"), std::pair(dump::Dtype::kFloat64, std::vector<double>({3, 10})));
  EXPECT_EQ(read("forward.output.device.0"), std::pair(dump::Dtype::kFloat32, std::vector<double>({3, 10})));
  EXPECT_EQ(read("backward.output.bench.0"), std::pair(dump::Dtype::kFloat64, std::vector<double>({3, 5})));
  EXPECT_EQ(read("backward.output.device.0"), std::pair(dump::Dtype::kFloat32, std::vector<double>({3, 5})));
}

TEST(SavedTensors, AreKeptOfWhatDoesNotPassAlone) {
  for (const bool fails : {false, true}) {
    // bfloat16 has no 257.
    Dumped dumped("Torch.add.0");
    dumped.args = {dumped.tensor(at::full({1}, 256.0F).to(at::kBFloat16)),
                   R"({"type": "float", "value": )" + std::string(fails ? "1.0" : "2.0") + "}"};
    dumped.options.save_data = config::SaveData::kError;
    dumped.options.error_data_dir = dumped.path("errors");
    const auto outcome = dumped.check();
    EXPECT_EQ(outcome.forward == Status::kPass, !fails) << outcome.rows[0].message;
    EXPECT_EQ(files_in(dumped.options.error_data_dir).size(), fails ? 3u : 0u);
  }
}

TEST(SavedTensors, AFolderThatCannotBeWrittenCostsAMessage) {
  Dumped dumped("Torch.neg.0");
  dumped.args = {dumped.tensor(at::ones({2}))};
  dumped.outputs = {dumped.tensor(-at::ones({2}))};
  dumped.options.save_data = config::SaveData::kAll;
  std::ofstream(dumped.path("file")) << "not a folder";
  dumped.options.error_data_dir = dumped.path("file") + "/errors";
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_THAT(outcome.message, testing::StartsWith("tensors not saved: "));
  EXPECT_THAT(outcome.message, HasSubstr(dumped.options.error_data_dir));
}

}  // namespace
}  // namespace msprobe::check
