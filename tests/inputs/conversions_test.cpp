// docs/inputs.md#conversions-before-the-call.
#include "inputs/conversions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "inputs/support.h"

namespace msprobe::inputs {
namespace {

using testing::argument;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::IsEmpty;
using testing::record;
using testing::tensor_meta;
using testing::values_of;

const dump::TensorMeta kLogits = tensor_meta("torch.float32", {32, 10}, 2.0, -2.0);

dump::TensorMeta target(const char* dtype, dump::Statistic max = int64_t{9}, dump::Statistic min = int64_t{-100}) {
  return tensor_meta(dtype, {32}, std::move(max), std::move(min));
}

void expect_classes(const at::Tensor& tensor, int64_t low, int64_t high) {
  EXPECT_EQ(tensor.scalar_type(), at::kLong);
  EXPECT_EQ(tensor.min().item<int64_t>(), low);
  EXPECT_EQ(tensor.max().item<int64_t>(), high);
}

// ---- class targets

TEST(ClassTargetTest, StaysWithinTheClassesByPositionAndKeyword) {
  for (const char* dtype : {"torch.int64", "torch.int32"})
    for (const char* name : {"cross_entropy", "nll_loss"}) {
      Fixture fixture;
      const Built by_position = fixture.build(record("Functional", name, {argument(kLogits), argument(target(dtype))}));
      expect_classes(by_position.arguments.args[1].get<at::Tensor>(), 0, 9);
      const Built mixed =
          fixture.build(record("Functional", name, {argument(kLogits)}, {{"target", argument(target(dtype))}}));
      expect_classes(mixed.arguments.kwarg("target")->get<at::Tensor>(), 0, 9);
      const Built by_keyword = fixture.build(record(
          "Functional", name, {},
          {{"weight", argument(dump::NoneArg{})}, {"target", argument(target(dtype))}, {"input", argument(kLogits)}}));
      expect_classes(by_keyword.arguments.kwarg("target")->get<at::Tensor>(), 0, 9);
    }
}

TEST(ClassTargetTest, ClassesAreDimension1OrTheOnlyOne) {
  Fixture fixture;
  const auto build = [&](std::vector<int64_t> input, dump::Statistic max) {
    return fixture
        .build(record("Functional", "cross_entropy",
                      {argument(tensor_meta("torch.float32", std::move(input), 1.0, -1.0)),
                       argument(tensor_meta("torch.int64", {4, 50}, std::move(max), int64_t{-100}))}))
        .arguments.args[1]
        .get<at::Tensor>();
  };
  expect_classes(build({4, 7, 50}, int64_t{1000}), 0, 6);
  expect_classes(build({5}, int64_t{1000}), 0, 4);
  expect_classes(build({4, 7, 50}, int64_t{3}), 0, 3);
}

struct TargetRow {
  dump::Statistic max, min;
  int64_t low, high;
};
const TargetRow kTargetRows[] = {
    {int64_t{9}, int64_t{-100}, 0, 9},
    {int64_t{5}, int64_t{2}, 2, 5},
    {int64_t{255}, int64_t{0}, 0, 9},
    {9.0, -100.0, 0, 9},
    {int64_t{-100}, int64_t{-100}, 0, 0},
    {dump::Absent{}, dump::Absent{}, 0, 9},
    {std::numeric_limits<double>::quiet_NaN(), dump::Null{}, 0, 9},
};

TEST(ClassTargetTest, BoundsAreCutToClasses) {
  for (const TargetRow& row : kTargetRows) {
    Fixture fixture;
    const dump::TensorMeta meta = tensor_meta("torch.int64", {400}, row.max, row.min);
    const Built inputs = fixture.build(record(
        "Functional", "nll_loss", {argument(tensor_meta("torch.float32", {400, 10}, 0.0, -5.0)), argument(meta)}));
    expect_classes(inputs.arguments.args[1].get<at::Tensor>(), row.low, row.high);
  }
}

TEST(ClassTargetTest, ProbabilitiesAreLeftAlone) {
  Fixture fixture;
  const dump::TensorMeta probabilities = tensor_meta("torch.float32", {32, 10}, 1.0, 0.0);
  const Built inputs =
      fixture.build(record("Functional", "cross_entropy", {argument(kLogits)}, {{"target", argument(probabilities)}}));
  const auto values = values_of(inputs.arguments.kwarg("target")->get<at::Tensor>());
  for (const double v : values) EXPECT_TRUE(v >= 0 && v <= 1);
  EXPECT_EQ(inputs.arguments.kwarg("target")->get<at::Tensor>().scalar_type(), at::kFloat);
  EXPECT_THAT(inputs.notes, IsEmpty());
}

TEST(ClassTargetTest, RealTargetsKeepTheirValues) {
  Fixture fixture;
  fixture.real_data = true;
  dump::TensorMeta meta = tensor_meta("torch.int32", {3}, int64_t{7}, int64_t{-100});
  meta.data_name = "int32.pt";
  dump::TensorMeta logits = tensor_meta("torch.float32", {2, 3}, 2.5, -2.5);
  logits.data_name = "float32.pt";
  const Built inputs = fixture.build(record("Functional", "cross_entropy", {argument(logits), argument(meta)}));
  EXPECT_THAT(values_of(inputs.arguments.args[1].get<at::Tensor>()), ElementsAre(3, -100, 7));
  EXPECT_EQ(inputs.arguments.args[1].get<at::Tensor>().scalar_type(), at::kLong);
  EXPECT_THAT(inputs.notes, ElementsAre("input 1: int32 target converted to int64"));
}

TEST(ClassTargetTest, AtenAndNpuNamesFollowTheirSchemas) {
  Fixture fixture;
  const auto args = [](const char* dtype) { return dump::ArgumentList{argument(kLogits), argument(target(dtype))}; };
  for (const char* name : {"nll_loss.default", "cross_entropy_loss", "nll_loss_nd.default", "nll_loss_forward.default"})
    expect_classes(fixture.build(record("Aten", name, args("torch.int64"))).arguments.args[1].get<at::Tensor>(), 0, 9);
  const dump::ArgumentList backward{argument(tensor_meta("torch.float32", {}, 1.0, 1.0)), argument(kLogits),
                                    argument(target("torch.int64"))};
  expect_classes(
      fixture.build(record("Aten", "nll_loss_backward.default", backward)).arguments.args[2].get<at::Tensor>(), 0, 9);
  // Other APIs' integers are theirs.
  const at::Tensor other =
      fixture.build(record("Torch", "take", args("torch.int64"))).arguments.args[1].get<at::Tensor>();
  EXPECT_EQ(other.min().item<int64_t>(), -100);
}

TEST(ClassTargetTest, NarrowingIsSaid) {
  Fixture fixture;
  EXPECT_THAT(
      fixture.build(record("Functional", "nll_loss", {argument(kLogits), argument(target("torch.int64"))})).notes,
      ElementsAre("target: classes drawn from [0, 9]"));
  EXPECT_THAT(fixture
                  .build(record("Functional", "nll_loss",
                                {argument(kLogits), argument(target("torch.int64", int64_t{9}, int64_t{0}))}))
                  .notes,
              IsEmpty());
}

// ---- histc

TEST(HistcTest, IntegersBecomeFloat32) {
  Fixture fixture;
  for (const char* type : {"Torch", "Tensor"}) {
    const Built inputs = fixture.build(record(
        type, "histc", {argument(tensor_meta("torch.int64", {50}, int64_t{9}, int64_t{0})), argument(int64_t{10})}));
    const auto& values = inputs.arguments.args[0].get<at::Tensor>();
    EXPECT_EQ(values.scalar_type(), at::kFloat);
    EXPECT_TRUE(values.eq(values.round()).all().item<bool>());
    EXPECT_THAT(inputs.notes, ElementsAre("input 0: torch.int64 converted to float32"));
  }
  const Built kept =
      fixture.build(record("Torch", "histc", {}, {{"input", argument(tensor_meta("torch.float64", {50}, 9.0, 0.0))}}));
  EXPECT_EQ(kept.arguments.kwarg("input")->get<at::Tensor>().scalar_type(), at::kDouble);
}

// ---- HF32

struct Hf32Row {
  uint32_t before, after;
};
const Hf32Row kHf32Rows[] = {
    {0x3F800000, 0x3F800000},                            // 1
    {0x3F8007FF, 0x3F800000},                            // just below half of the last place
    {0x3F800800, 0x3F801000},                            // half goes up
    {0xBF800800, 0xBF801000},                            // in magnitude
    {0x3F801800, 0x3F802000},                            // to odd places too: half is always added
    {0x3FFFFFFF, 0x40000000},                            // carries into the exponent
    {0x00000800, 0x00001000},                            // subnormal
    {0x80000001, 0x80000000},                            // -0
    {0x7F7FFFFF, 0x7F800000},                            // the largest float32 overflows
    {0x7F800000, 0x7F800000}, {0xFF800000, 0xFF800000},  // infinities
    {0x7FC00000, 0x7FC00000}, {0x7FFFFFFF, 0x7FFFFFFF},  // nan stays as it is
};

TEST(Hf32Test, AddsHalfAndClearsTwelveBits) {
  for (const Hf32Row& row : kHf32Rows) {
    at::Tensor tensor = at::zeros({1}, at::kFloat);
    std::memcpy(tensor.data_ptr(), &row.before, 4);
    round_to_hf32(tensor);
    uint32_t after = 0;
    std::memcpy(&after, tensor.data_ptr(), 4);
    EXPECT_EQ(after, row.after) << std::hex << row.before;
  }
}

bool all_hf32(const at::Tensor& tensor) {
  const auto* bits = static_cast<const uint32_t*>(tensor.data_ptr());
  return std::all_of(bits, bits + tensor.numel(), [](uint32_t b) { return (b & 0xFFF) == 0; });
}

struct Hf32Rule {
  config::Hf32 setting;
  config::Profile profile;
  bool npu, rounded;
};
const Hf32Rule kHf32Rules[] = {
    {config::Hf32::kAuto, config::Profile::kDocumented, false, false},
    {config::Hf32::kAuto, config::Profile::kDocumented, true, true},
    {config::Hf32::kAuto, config::Profile::kMindstudio, false, true},
    {config::Hf32::kOn, config::Profile::kDocumented, false, true},
    {config::Hf32::kOff, config::Profile::kMindstudio, true, false},
};

TEST(Hf32Test, FollowsTheSettingTheProfileAndTheDevice) {
  dump::TensorMeta meta = tensor_meta("torch.float32", {2, 3, 8, 8}, 1.0, -1.0);
  meta.requires_grad = true;
  const dump::TensorMeta half = tensor_meta("torch.float16", {64}, 1.0, -1.0);
  for (const Hf32Rule& rule : kHf32Rules)
    for (const char* name : {"conv1d", "conv2d", "conv3d", "linear"}) {
      Fixture fixture;
      fixture.settings.hf32_inputs = rule.setting;
      fixture.settings.profile = rule.profile;
      fixture.device_is_npu = rule.npu;
      dump::Record call = record("Functional", name, {argument(meta), argument(half)}, {{"weight", argument(meta)}});
      call.backward = dump::BackwardRecord{{argument(meta)}, {}};
      const bool expected = rule.rounded && name[4] != '3' && name[0] == 'c';
      const Built inputs = fixture.build(call);
      EXPECT_EQ(all_hf32(inputs.arguments.args[0].get<at::Tensor>()), expected) << name;
      EXPECT_EQ(all_hf32(inputs.arguments.kwarg("weight")->get<at::Tensor>()), expected) << name;
      EXPECT_EQ(all_hf32(build_output_gradients(call, fixture.context(), fixture.notes)[0].get<at::Tensor>()), expected)
          << name;
      EXPECT_TRUE(inputs.arguments.args[0].get<at::Tensor>().requires_grad());
      EXPECT_TRUE(inputs.arguments.args[0].get<at::Tensor>().is_leaf());
      EXPECT_EQ(inputs.notes.size(), expected ? 1u : 0u);
    }
}

// ---- npu_fusion_attention

dump::Record attention(int64_t sparse_mode, dump::Argument mask, bool by_keyword) {
  const dump::Argument qkv = argument(tensor_meta("torch.float16", {1, 16, 32}, 1.0, -1.0)),
                       none = argument(dump::NoneArg{});
  dump::ArgumentList args{qkv, qkv, qkv, argument(int64_t{2}), argument(std::string("BSH"))};
  if (by_keyword)
    return record("NPU", "npu_fusion_attention", args, {{"atten_mask", mask}, {"sparse_mode", argument(sparse_mode)}});
  for (const dump::Argument& rest :
       {none, none, mask, argument(1.0), argument(1.0), argument(int64_t{65535}), argument(int64_t{0}),
        argument(int64_t{0}), none, none, none, argument(sparse_mode)})
    args.push_back(rest);
  return record("NPU", "npu_fusion_attention", args);
}

TEST(FusionAttentionTest, SparseModes2To4StandOnAnUpperTriangle) {
  for (const bool by_keyword : {true, false})
    for (const int64_t mode : {0, 1, 2, 3, 4, 5}) {
      Fixture fixture;
      const Built inputs = fixture.build(
          attention(mode, argument(tensor_meta("torch.uint8", {16, 16}, int64_t{1}, int64_t{0})), by_keyword));
      const at::Tensor mask = by_keyword ? inputs.arguments.kwarg("atten_mask")->get<at::Tensor>()
                                         : inputs.arguments.args[7].get<at::Tensor>();
      if (mode < 2 || mode > 4) {
        EXPECT_EQ(mask.sizes(), (std::vector<int64_t>{16, 16})) << mode;
        EXPECT_EQ(mask.scalar_type(), at::kByte);
        continue;
      }
      ASSERT_EQ(mask.sizes(), (std::vector<int64_t>{2048, 2048})) << mode;
      EXPECT_EQ(mask.scalar_type(), at::kBool);
      EXPECT_EQ(mask.sum().item<int64_t>(), 2048 * 2047 / 2);
      EXPECT_FALSE(mask[5][5].item<bool>());
      EXPECT_TRUE(mask[5][6].item<bool>());
      EXPECT_FALSE(mask[6][5].item<bool>());
    }
}

TEST(FusionAttentionTest, NoMaskStaysNoMaskAndRealDataIsKept) {
  Fixture fixture;
  EXPECT_TRUE(fixture.build(attention(2, argument(dump::NoneArg{}), true)).arguments.kwarg("atten_mask")->is_none());
  fixture.real_data = true;
  dump::TensorMeta meta = tensor_meta("torch.bool", {3}, true, false);
  meta.data_name = "bool.pt";
  EXPECT_THAT(
      values_of(fixture.build(attention(2, argument(meta), true)).arguments.kwarg("atten_mask")->get<at::Tensor>()),
      ElementsAre(1, 0, 1));
}

}  // namespace
}  // namespace msprobe::inputs
