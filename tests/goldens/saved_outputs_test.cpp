// The whole program on the dump of fused operators: what it saves as the goldens' outputs and gradients are the
// expected values, which were computed twice elsewhere.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dump/tensor_file.h"
#include "goldens/support.h"
#include "inputs/precision.h"
#include "support/program.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;

at::Tensor read(const fs::path& file) {
  const auto t = dump::read_pt(file.string());
  const auto dtype = inputs::parse_scalar_type(dump::dtype_name(t.dtype));
  return at::from_blob(t.data, t.sizes, t.strides, at::TensorOptions(*dtype)).clone();
}

// NPU.npu_swiglu.0.forward.output.0.pt, of the golden -> NPU.npu_swiglu.0.forward.output.bench.0.pt
std::string saved_name(std::string name) {
  const std::string output = ".output.";
  return name.insert(name.rfind(output) + output.size(), "bench.");
}

TEST(SavedOutputs, OfEveryFusedCallAreTheExpectedValues) {
  const std::string data = MSPROBE_TEST_DATA "/fused/";
  const Folder folder;
  folder.write("config.yaml", "save_data: all\nerror_data_path: " + (folder / "saved") + "\n");
  fs::create_directories(folder / "saved");
  const support::Outcome run =
      support::run_program(folder / "", "acc_check -api_info '" + data +
                                            "step0/rank0/dump.json' -config config.yaml -o out --device_type cpu -q");
  ASSERT_EQ(run.code, 0) << run.err;
  const fs::path saved = support::only_file(folder / "saved", "ut_error_data");
  ASSERT_FALSE(saved.empty());
  size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(data + "expected")) {
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const fs::path file = saved / saved_name(name);
    ASSERT_TRUE(fs::exists(file)) << file;
    const at::Tensor got = read(file), want = read(entry.path()).to(at::kDouble);
    ASSERT_EQ(got.sizes(), want.sizes());
    ++compared;
    if (want.numel() == 0) continue;
    // 1e-9 of each value, and of the tensor's size where values cancel to nearly nothing
    const double scale = want.abs().max().item<double>();
    const at::Tensor off = (got.to(at::kDouble) - want).abs();
    EXPECT_FALSE((off > want.abs() * 1e-9 + scale * 1e-12).any().item<bool>()) << off.max().item<double>();
  }
  EXPECT_EQ(compared, 198u);
}

}  // namespace
}  // namespace msprobe::goldens
