// Every golden against expected values that were computed twice elsewhere: by formula in Python's float64, and
// numerically.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "check/backward.h"
#include "check/outputs.h"
#include "config/settings.h"
#include "config/standards.h"
#include "dump/index.h"
#include "dump/tensor_file.h"
#include "goldens/built_in.h"
#include "goldens/candidates.h"
#include "inputs/build.h"
#include "inputs/precision.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;
const std::string kData = MSPROBE_TEST_DATA "/fused/";

at::Tensor expected(const std::string& name) {
  fs::path file = kData + "expected/" + name + ".pt";
  if (!fs::exists(file)) return {};
  auto t = dump::read_pt(file.string());
  auto dtype = inputs::parse_scalar_type(dump::dtype_name(t.dtype));
  return at::from_blob(t.data, t.sizes, t.strides, at::TensorOptions(*dtype)).clone();
}

void expect_near(const at::Tensor& got, const at::Tensor& want, const std::string& what) {
  ASSERT_TRUE(got.defined()) << what;
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  if (want.numel() == 0) return;
  at::Tensor a = got.detach().to(at::kDouble), b = want.to(at::kDouble);
  // 1e-9 of each value, and of the tensor's size where values cancel to nearly nothing
  double scale = b.abs().max().item<double>();
  at::Tensor bad = (a - b).abs() > b.abs() * 1e-9 + scale * 1e-12;
  EXPECT_EQ(bad.sum().item<int64_t>(), 0) << what << ": largest difference " << (a - b).abs().max().item<double>();
}

class Golden : public ::testing::Test {
 protected:
  dump::Index index_ = dump::Index::open(kData + "step0/rank0/dump.json");

  // Forward results and, where gradients are expected, gradients of the inputs; float64 throughout.
  void check(size_t i) {
    dump::Record record = index_.read(i);
    SCOPED_TRACE(record.name.full);
    ASSERT_NE(find_built_in(record.name.name), nullptr);
    inputs::BuildContext context{{}, index_.tensor_dir(), true, false};
    auto built = inputs::build_inputs(record, context);
    auto golden = inputs::golden_arguments(built.arguments, record.name, config::Profile::kDocumented);
    std::vector<at::Tensor> leaves;
    for (auto& a : golden.args) inputs::for_each_tensor(a, [&](at::Tensor& t) { leaves.push_back(t); });
    at::AutoGradMode on(record.backward.has_value());
    struct Cpu : device::Device {
      std::string type() const override { return "cpu"; }
      at::Device at_device() const override { return at::kCPU; }
      void synchronize() override {}
      void empty_cache() override {}
      void seed(uint64_t) override {}
      at::DeviceType autocast_type() const override { return at::kCPU; }
      std::vector<std::string> describe() const override { return {}; }
    } cpu;
    auto ways = candidates(Registry(), record.name, true, cpu);
    ASSERT_EQ(ways.size(), 1u);
    auto outputs = check::flatten(ways[0].call(golden));
    int compared = 0;
    for (size_t k = 0; k < outputs.size(); ++k) {
      at::Tensor want = expected(record.name.full + ".forward.output." + std::to_string(k));
      if (!want.defined()) continue;
      expect_near(outputs[k].get<at::Tensor>(), want, "output " + std::to_string(k));
      ++compared;
    }
    EXPECT_GT(compared, 0);
    if (!record.backward) return;
    std::vector<std::string> notes;
    auto gradients = inputs::build_output_gradients(record, context, notes);
    auto plan = check::plan_gradients(outputs, gradients);
    ASSERT_EQ(plan.refusal, "");
    auto got = check::run_backward(outputs, gradients, plan, leaves);
    compared = 0;
    for (size_t k = 0; k < got.size(); ++k) {
      at::Tensor want = expected(record.name.full + ".backward.output." + std::to_string(k));
      if (!want.defined()) continue;
      expect_near(got[k], want, "gradient " + std::to_string(k));
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
};

TEST_F(Golden, EqualsTheExpectedValuesForwardAndBackward) {
  ASSERT_EQ(index_.entries().size(), 63u);
  for (size_t i = 0; i < index_.entries().size(); ++i) check(i);
}

TEST_F(Golden, EveryOneIsExercised) {
  std::set<std::string> seen;
  for (const auto& e : index_.entries()) seen.insert(dump::parse_api_name(e.api).name);
  // Called by name only in older torch_npu; their formulas are those of their forwards, see
  // built_in_gradients_test.cpp.
  for (const char* name : {"matmul_backward", "npu_mish_backward", "npu_rotary_mul_backward"}) seen.insert(name);
  for (const auto& [name, golden] : built_in()) EXPECT_EQ(seen.count(name), 1u) << name;
}

// One file an operator: a backward form stands with its forward.
TEST(BuiltIn, EachFileOfNpuIsNamedAfterWhatItRegisters) {
  std::set<std::string> files;
  for (const auto& file : fs::directory_iterator(MSPROBE_SOURCE_DIR "/src/goldens/npu"))
    if (file.path().extension() == ".cpp") files.insert(file.path().stem().string());
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) EXPECT_NE(find_built_in(file), nullptr) << file;
  for (const auto& [name, golden] : built_in()) {
    std::string forward = name;
    for (const char* end : {"_backward", "_grad"})
      if (forward.ends_with(end)) forward.resize(forward.size() - std::string_view(end).size());
    EXPECT_TRUE(files.count(name) == 1 || files.count(forward) == 1) << name;
  }
}

}  // namespace
}  // namespace msprobe::goldens
