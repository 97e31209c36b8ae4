// Which algorithm and level an output gets: the lists of the user guide and of the NPU's standards, spelt out here.
#include "compare/select.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace msprobe::compare {
namespace {

using config::Algorithm;
using config::Profile;

const config::Standards& standards() {
  static const config::Standards all = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return all;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

ApiStandard of(const std::string& api, Profile profile = Profile::kDocumented) {
  const std::string name = api + ".0.forward.output.0";
  const RowName row = split_row_name(name, profile);
  EXPECT_TRUE(row.valid) << name;
  return standard_of_api(row, standards(), profile);
}

Algorithm algorithm(const std::string& api, const std::string& dtype, Profile profile = Profile::kDocumented,
                    bool float8_inputs = false) {
  return select_algorithm(of(api, profile).algorithm, dtype, float8_inputs, profile);
}

TEST(SelectTest, AlgorithmGoesByTheApi) {
  const std::map<Algorithm, std::string> lists = {
      {Algorithm::kAbsolute,
       "mul mul_ __mul__ __imul__ __rmul__ add add_ __add__ __iadd__ __radd__ div div_ __div__ __idiv__ divide divide_ "
       "leaky_relu leaky_relu_ prelu reciprocal reciprocal_ rsqrt rsqrt_ square square_ sub sub_ rsub __isub__ "
       "__sub__"},
      {Algorithm::kBinary,
       "abs abs_ absolute absolute_ argmin bitwise_and bitwise_and_ broadcast_to ceil ceil_ equal fill_ flatten floor "
       "floor_ gather greater greater_ greater_equal greater_equal_ histc isfinite isnan less less_ less_equal "
       "less_equal_ logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ masked_fill masked_fill_ "
       "max_pool3d maximum minimum neg neg_ nonzero not_equal not_equal_ one_hot pad relu reshape round round_ select "
       "sign sign_ sort tile topk transpose transpose_ tril tril_ triu triu_ type_as"},
      {Algorithm::kUlp,
       "__matmul__ addbmm addbmm_ addmm addmm_ baddbmm baddbmm_ bilinear bmm chain_matmul hspmm linear matmul mm mv "
       "smm "
       "sspaddmm"},
      {Algorithm::kThousandth, "conv1d conv2d"},
      {Algorithm::kBenchmark, "softmax layer_norm conv3d embedding sum mean gelu __truediv__ npu_swiglu"}};
  for (const auto& [expected, names] : lists)
    for (const std::string& name : words(names))
      for (const std::string dtype : {"torch.float16", "torch.bfloat16", "torch.float32"})
        EXPECT_EQ(algorithm("Torch." + name, dtype), expected) << name << " " << dtype;
}

TEST(SelectTest, NamesOfSeveralPartsGoByTheirLastOnes) {
  EXPECT_EQ(algorithm("Torch.linalg.matmul", "torch.float32"), Algorithm::kUlp);
  EXPECT_EQ(algorithm("Torch._C._nn.linear", "torch.float32"), Algorithm::kUlp);
  EXPECT_EQ(algorithm("Aten.add.Tensor", "torch.float32"), Algorithm::kAbsolute);
  EXPECT_EQ(algorithm("Torch.linalg.norm", "torch.float32"), Algorithm::kBenchmark);
  EXPECT_EQ(of("Torch.special.layer_norm").level, 2);
  EXPECT_EQ(of("Aten.index.Tensor").level, 2);
}

TEST(SelectTest, OneKindOfApiMayBeListedAlone) {
  config::Standards own = standards();
  own.algorithm_of_api.add("Functional.softmax", Algorithm::kUlp);
  own.level_of_api.add("Functional.softmax", 1);
  const RowName functional = split_row_name("Functional.softmax.0.forward.output.0", Profile::kDocumented);
  const RowName tensor = split_row_name("Tensor.softmax.0.forward.output.0", Profile::kDocumented);
  EXPECT_EQ(standard_of_api(functional, own, Profile::kDocumented).algorithm, Algorithm::kUlp);
  EXPECT_EQ(standard_of_api(functional, own, Profile::kDocumented).level, 1);
  EXPECT_EQ(standard_of_api(tensor, own, Profile::kDocumented).algorithm, Algorithm::kBenchmark);
  EXPECT_EQ(standard_of_api(tensor, own, Profile::kDocumented).level, 0);
}

TEST(SelectTest, OtherDtypesAreBinaryWhateverTheApi) {
  for (const std::string dtype :
       {"torch.bool", "torch.int8", "torch.uint8", "torch.int32", "torch.int64", "<class 'int'>", "<class 'float'>",
        "<class 'bool'>", "<class 'str'>", "torch.float8_e4m3fn", "torch.float8_e5m2"})
    for (const std::string api : {"Torch.mul", "Torch.matmul", "Torch.softmax", "Functional.conv2d"})
      EXPECT_EQ(algorithm(api, dtype), Algorithm::kBinary) << api << " " << dtype;
}

TEST(SelectTest, LevelsAreThoseOfTheUserGuide) {
  for (const std::string& name :
       words("embedding npu_fusion_attention_grad npu_fusion_attention scatter_ scatter_add_"))
    EXPECT_EQ(of("NPU." + name).level, 1) << name;
  for (const std::string& name :
       words("addmm npu_cross_entropy_loss npu_cross_entropy_loss_backward GELU gelu layer_norm "
             "matmul mm index one_hot sum npu_rms_norm npu_rms_norm_backward nonzero"))
    EXPECT_EQ(of("NPU." + name).level, 2) << name;
  for (const std::string& name : words("add softmax scatter conv2d __matmul__ embedding_bag"))
    EXPECT_EQ(of("NPU." + name).level, 0) << name;
}

TEST(SelectTest, MindstudioJudgesFloatsByRatiosWhateverTheList) {
  constexpr Profile kMs = Profile::kMindstudio;
  for (const std::string api : {"Torch.mul", "Torch.matmul", "Torch.relu", "Functional.conv2d", "Torch.softmax"}) {
    for (const std::string dtype : {"torch.float16", "torch.bfloat16", "torch.float32"}) {
      EXPECT_EQ(algorithm(api, dtype, kMs), Algorithm::kBenchmark) << api;
      EXPECT_EQ(algorithm(api, dtype, kMs, true), Algorithm::kAbsolute) << api;
    }
    for (const std::string dtype : {"torch.float8_e4m3fn", "torch.float8_e5m2", "torch_npu.HiFloat8Tensor",
                                    "<class 'torch_npu.utils.hif8_tensor.HiFloat8Tensor'>"})
      EXPECT_EQ(algorithm(api, dtype, kMs), Algorithm::kUlp) << api;
    EXPECT_EQ(algorithm(api, "torch.int64", kMs), Algorithm::kBinary) << api;
    EXPECT_EQ(algorithm(api, "torch.int64", kMs, true), Algorithm::kAbsolute) << api;
  }
}

TEST(SelectTest, MindstudioComparesWholeNamesForTheLevel) {
  EXPECT_EQ(of("Functional.GELU", Profile::kMindstudio).level, 2);
  EXPECT_EQ(of("Functional.gelu", Profile::kMindstudio).level, 0);
  EXPECT_EQ(of("Torch.special.layer_norm", Profile::kMindstudio).level, 0);
  EXPECT_EQ(of("Torch.layer_norm", Profile::kMindstudio).level, 2);
}

TEST(SelectTest, SkipsBlankUnsupportedAndEmpty) {
  for (const std::string dtype : {"", " ", "torch.float64", "torch.complex64", "torch.complex128"})
    EXPECT_TRUE(is_skipped(dtype, "(2,)")) << dtype;
  EXPECT_TRUE(is_skipped("torch.float32", "(0,)"));
  EXPECT_FALSE(is_skipped("torch.float32", "(2, 3)"));
  EXPECT_FALSE(is_skipped("torch.float32", ""));
  EXPECT_FALSE(is_skipped("torch.int64", "()"));
}

}  // namespace
}  // namespace msprobe::compare
