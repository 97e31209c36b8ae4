// MindStudio msprobe's own goldens, unchanged, by the file that registers them: what they compute, and what they
// refuse.
#include <set>

#include <gmock/gmock.h>

#include "check/backward.h"
#include "config/standards.h"
#include "dump/index.h"
#include "dump/tensor_file.h"
#include "goldens/support.h"
#include "inputs/build.h"
#include "inputs/precision.h"
#include "support/shell.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;

std::string said_by(const std::string& command) {
  std::string text = support::printed_by(command);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

at::Tensor read_pt(const fs::path& file) {
  auto t = dump::read_pt(file.string());
  return at::from_blob(t.data, t.sizes, t.strides,
                       at::TensorOptions(*inputs::parse_scalar_type(dump::dtype_name(t.dtype))))
      .clone();
}

// Where their functions are another function than the operator, or take another call than users write (operator and
// their documents agree on each): nothing to compare.
const std::set<std::string> kOtherFunction = {
    "NPU.npu_apply_adam_w.1",       // amsgrad draws max_grad_norm at random
    "NPU.npu_layer_norm_eval.1",    // weight, bias and eps are dropped
    "NPU.npu_rms_norm.0",           // eps 1e-5 where none is given
    "NPU.npu_rms_norm.3",           // the mean over the last dimension alone, although gamma has two
    "NPU.npu_fusion_attention.6",   // mode 4 is counted from the upper left corner
    "NPU.npu_fusion_attention.9",   // a missing scale is 1/sqrt(D)
    "NPU.npu_fusion_attention.11",  // tokens hide although there is no mask
    "NPU.npu_fusion_attention.13",  // sink is ignored
};
const std::set<std::string> kRefused = {
    "NPU.npu_linear.1",
    "NPU.npu_group_norm_silu.1",
    "NPU.npu_group_norm_silu.2",
    "NPU.npu_rotary_mul.2",
    "NPU.npu_rotary_mul.4",
    "NPU.npu_scaled_masked_softmax.1",
    "NPU.npu_scaled_masked_softmax.2",
    "NPU.npu_scaled_masked_softmax.3",
    "NPU.npu_fusion_attention.7",
    "NPU.npu_fusion_attention.8",
    "NPU.npu_moe_gating_top_k_softmax.1",
    "NPU.npu_fusion_attention.14",
};

class PeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* python = std::getenv("MSPROBE_PEER_PYTHON");
    if (python == nullptr || access(python, X_OK) != 0) {
      std::string why = "no Python with mindstudio-probe: name one in MSPROBE_PEER_PYTHON";
      if (const char* file = std::getenv("MSPROBE_PEER_WHY_NOT")) std::getline(std::ifstream(file), why);
      GTEST_SKIP() << why;
    }
    const std::string folder = said_by(
        std::string("'") + python + "' -c 'import msprobe, os; print(os.path.dirname(msprobe.__file__))' 2>/dev/null");
    yaml_ = folder + "/pytorch/bench_functions/fusion_operator_config.yaml";
    if (!fs::exists(yaml_)) GTEST_SKIP() << "this mindstudio-probe has no " << yaml_;
    setenv("MSPROBE_PYTHON", python, 1);
    registry_.add(read_configuration(yaml_));
  }
  void TearDown() override { unsetenv("MSPROBE_PYTHON"); }

  std::string yaml_;
  Registry registry_;
};

TEST_F(PeerTest, TheirFilesRunUnchangedForwardAndBackward) {
  const std::string data = MSPROBE_TEST_DATA "/fused/";
  dump::Index index = dump::Index::open(data + "step0/rank0/dump.json");
  int compared = 0, gradients_compared = 0;
  std::set<std::string> refused;
  for (size_t i = 0; i < index.entries().size(); ++i) {
    dump::Record record = index.read(i);
    const std::string name = record.name.full;
    if (registry_.users_golden(record.name) == nullptr || kOtherFunction.contains(name)) continue;
    SCOPED_TRACE(name);
    inputs::BuildContext context{{}, index.tensor_dir(), true, false};
    auto built = inputs::build_inputs(record, context);
    auto golden = inputs::golden_arguments(built.arguments, record.name, config::Profile::kDocumented);
    std::vector<at::Tensor> leaves;
    for (auto& a : golden.args) inputs::for_each_tensor(a, [&](at::Tensor& t) { leaves.push_back(t); });
    at::AutoGradMode on(record.backward.has_value());
    std::vector<ops::Value> outputs;
    try {
      outputs = check::flatten(registry_.users_golden(record.name)->call(golden));
    } catch (const std::exception& e) {
      refused.insert(name);
      EXPECT_TRUE(kRefused.contains(name)) << e.what();
      continue;
    }
    const auto near = [&](const at::Tensor& got, const std::string& file) {
      if (!fs::exists(data + "expected/" + file)) return false;
      at::Tensor want = read_pt(data + "expected/" + file).to(at::kDouble);
      if (got.sizes() != want.sizes()) return false;  // a program's run skips such a call
      // Some of theirs compute in float32 whatever they get.
      const double scale = want.numel() == 0 ? 1 : std::max(1.0, want.abs().max().item<double>());
      EXPECT_LE((got.detach().to(at::kDouble) - want).abs().max().item<double>(), 2e-6 * scale) << file;
      return true;
    };
    compared += near(outputs[0].get<at::Tensor>(), name + ".forward.output.0.pt");
    if (!record.backward) continue;
    std::vector<std::string> notes;
    auto recorded = inputs::build_output_gradients(record, context, notes);
    check::GradientPlan plan;
    plan.outputs = plan.gradients = {0};
    auto got = check::run_backward(outputs, recorded, plan, leaves);
    for (size_t k = 0; k < got.size(); ++k)
      if (got[k].defined()) gradients_compared += near(got[k], name + ".backward.output." + std::to_string(k) + ".pt");
  }
  EXPECT_EQ(refused, kRefused);
  EXPECT_EQ(compared, 40);
  EXPECT_EQ(gradients_compared, 47);
  std::printf(
      "[  FIGURES ] %d outputs and %d gradients of MindStudio's own goldens equal the expected values, %zu calls "
      "refused\n",
      compared, gradients_compared, refused.size());
}

}  // namespace
}  // namespace msprobe::goldens
