// docs/execution.md#golden-precision and #device-precision.
#include "inputs/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/support.h"
#include "util/error.h"

namespace msprobe::inputs {
namespace {

using config::Profile;
using testing::argument;
using ::testing::ElementsAre;
using testing::tensor_meta;

const dump::ApiName kName{"Torch", "x", "0", "Torch.x.0"};

at::Tensor ones(at::ScalarType dtype) {
  return at::ones({2}, at::kFloat).to(dtype);
}

Arguments tensors(const std::vector<at::ScalarType>& dtypes) {
  Arguments arguments;
  for (const at::ScalarType dtype : dtypes) arguments.args.emplace_back(ones(dtype));
  return arguments;
}

std::vector<at::ScalarType> dtypes_of(Arguments arguments) {
  std::vector<at::ScalarType> dtypes;
  for_each_tensor(arguments, [&](at::Tensor& tensor) { dtypes.push_back(tensor.scalar_type()); });
  return dtypes;
}

struct RaiseRow {
  std::vector<at::ScalarType> recorded, documented, mindstudio;
};
const RaiseRow kRaiseRows[] = {
    {{at::kHalf}, {at::kDouble}, {at::kFloat}},
    {{at::kBFloat16, at::kBFloat16}, {at::kDouble, at::kDouble}, {at::kFloat, at::kFloat}},
    {{at::kFloat, at::kFloat}, {at::kDouble, at::kDouble}, {at::kDouble, at::kDouble}},
    {{at::kDouble}, {at::kDouble}, {at::kDouble}},
    {{at::kBFloat16, at::kFloat}, {at::kDouble, at::kDouble}, {at::kFloat, at::kFloat}},
    {{at::kHalf, at::kBFloat16}, {at::kDouble, at::kDouble}, {at::kFloat, at::kFloat}},
    {{at::kFloat, at::kLong, at::kBool, at::kByte},
     {at::kDouble, at::kLong, at::kBool, at::kByte},
     {at::kDouble, at::kLong, at::kBool, at::kByte}},
    {{at::kComplexFloat, at::kComplexDouble},
     {at::kComplexDouble, at::kComplexDouble},
     {at::kComplexFloat, at::kComplexDouble}},
    {{at::kFloat8_e4m3fn, at::kFloat8_e5m2}, {at::kDouble, at::kDouble}, {at::kFloat, at::kFloat}},
};

TEST(GoldenTest, RaisesByTheProfilesRule) {
  for (const RaiseRow& row : kRaiseRows) {
    const Arguments recorded = tensors(row.recorded);
    EXPECT_EQ(dtypes_of(golden_arguments(recorded, kName, Profile::kDocumented)), row.documented);
    EXPECT_EQ(dtypes_of(golden_arguments(recorded, kName, Profile::kMindstudio)), row.mindstudio);
  }
}

TEST(GoldenTest, RaisesComplex32) {
  Arguments recorded;
  recorded.args.emplace_back(at::ones({2}, at::kComplexFloat).to(at::kComplexHalf));
  EXPECT_EQ(dtypes_of(golden_arguments(recorded, kName, Profile::kDocumented)), std::vector{at::kComplexDouble});
}

TEST(GoldenTest, RaisesNestedTensorsKeywordsAndDtypes) {
  Arguments recorded;
  recorded.args = {List{{ones(at::kHalf), Dict{{{"k", ones(at::kHalf)}}}}}, Slice{{Value(), ones(at::kLong), Value()}}};
  recorded.kwargs = {{"weight", ones(at::kHalf)}, {"dtype", at::kHalf}};
  const Arguments golden = golden_arguments(recorded, kName, Profile::kDocumented);
  EXPECT_THAT(dtypes_of(golden), ElementsAre(at::kDouble, at::kDouble, at::kLong, at::kDouble));
  EXPECT_EQ(golden.kwarg("dtype")->get<at::ScalarType>(), at::kDouble);
  EXPECT_EQ(golden_arguments(recorded, kName, Profile::kMindstudio).kwarg("dtype")->get<at::ScalarType>(), at::kFloat);
  recorded.kwargs[1].second = at::kLong;
  EXPECT_EQ(golden_arguments(recorded, kName, Profile::kDocumented).kwarg("dtype")->get<at::ScalarType>(), at::kLong);
  recorded.kwargs[1].second = at::kComplexFloat;
  EXPECT_EQ(golden_arguments(recorded, kName, Profile::kDocumented).kwarg("dtype")->get<at::ScalarType>(),
            at::kComplexDouble);
}

TEST(GoldenTest, ADtypeKeywordCountsAsAFloatingTypeForMindstudio) {
  Arguments recorded = tensors({at::kFloat});
  recorded.kwargs = {{"dtype", at::kHalf}};
  EXPECT_EQ(dtypes_of(golden_arguments(recorded, kName, Profile::kMindstudio)), std::vector{at::kFloat});
}

TEST(GoldenTest, TypeAsIsNeverRaised) {
  const dump::ApiName type_as{"Tensor", "type_as", "0", "Tensor.type_as.0"};
  const Arguments recorded = tensors({at::kHalf, at::kFloat});
  for (const Profile profile : {Profile::kDocumented, Profile::kMindstudio})
    EXPECT_THAT(dtypes_of(golden_arguments(recorded, type_as, profile)), ElementsAre(at::kHalf, at::kFloat));
}

TEST(GoldenTest, EveryFloat8ValueIsWidenedExactly) {
  for (const at::ScalarType dtype : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    const at::Tensor codes = at::arange(256, at::kInt).to(at::kByte).view(dtype);
    Arguments recorded;
    recorded.args.emplace_back(codes);
    const at::Tensor golden = golden_arguments(recorded, kName, Profile::kDocumented).args[0].get<at::Tensor>();
    // By the formats: sign, exponent, mantissa.
    const int mantissa_bits = dtype == at::kFloat8_e4m3fn ? 3 : 2, bias = dtype == at::kFloat8_e4m3fn ? 7 : 15;
    for (int code = 0; code < 256; ++code) {
      const int exponent = (code & 0x7F) >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
      const bool special = dtype == at::kFloat8_e4m3fn ? (code & 0x7F) == 0x7F : exponent == 31;
      if (special) continue;
      const double fraction = static_cast<double>(mantissa) / (1 << mantissa_bits);
      const double magnitude = exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
      EXPECT_EQ(golden[code].item<double>(), code & 0x80 ? -magnitude : magnitude) << code;
    }
  }
}

TEST(GoldenTest, PythonNumbersStay) {
  Arguments recorded;
  recorded.args = {ones(at::kHalf), 2.5, int64_t{3}, true, "mean", Value()};
  const Arguments golden = golden_arguments(recorded, kName, Profile::kDocumented);
  EXPECT_EQ(golden.args[1].get<double>(), 2.5);
  EXPECT_EQ(golden.args[2].get<int64_t>(), 3);
  EXPECT_EQ(golden.args[3].get<bool>(), true);
  EXPECT_EQ(golden.args[4].get<std::string>(), "mean");
  EXPECT_TRUE(golden.args[5].is_none());
}

// ---- both sides

TEST(BothSidesTest, ShareNothingWithTheRecordOrEachOther) {
  Arguments recorded = tensors({at::kDouble, at::kLong, at::kBool});
  recorded.args[0].get<at::Tensor>().requires_grad_(true);
  const Arguments golden = golden_arguments(recorded, kName, Profile::kDocumented);
  const Arguments device = device_arguments(recorded, kName, at::kCPU);
  for (size_t i = 0; i < recorded.args.size(); ++i) {
    const auto* base = recorded.args[i].get<at::Tensor>().data_ptr();
    EXPECT_NE(base, golden.args[i].get<at::Tensor>().data_ptr());
    EXPECT_NE(base, device.args[i].get<at::Tensor>().data_ptr());
    EXPECT_TRUE(at::equal(recorded.args[i].get<at::Tensor>(), device.args[i].get<at::Tensor>()));
  }
  for (const Arguments* side : {&golden, &device}) {
    EXPECT_TRUE(side->args[0].get<at::Tensor>().requires_grad());
    EXPECT_TRUE(side->args[0].get<at::Tensor>().is_leaf());
    EXPECT_FALSE(side->args[1].get<at::Tensor>().requires_grad());
  }
}

TEST(BothSidesTest, DeviceKeywordsBecomeTheDeviceAndAreDroppedOnTheCpu) {
  Arguments recorded;
  recorded.args = {at::Device(at::kPrivateUse1, 3), "npu:3", "mean"};
  recorded.kwargs = {{"device", "npu:3"}, {"dim", int64_t{1}}};
  const Arguments golden = golden_arguments(recorded, kName, Profile::kDocumented);
  EXPECT_EQ(golden.kwarg("device"), nullptr);
  EXPECT_EQ(golden.kwarg("dim")->get<int64_t>(), 1);
  EXPECT_EQ(golden.args[0].get<at::Device>(), at::Device(at::kCPU));
  EXPECT_EQ(golden.args[1].get<at::Device>(), at::Device(at::kCPU));
  EXPECT_EQ(golden.args[2].get<std::string>(), "mean");
  EXPECT_EQ(device_arguments(recorded, kName, at::kCPU).kwarg("device"), nullptr);
  const at::Device cuda(at::kCUDA, 1);
  const Arguments device = device_arguments(recorded, kName, cuda);
  EXPECT_EQ(device.kwarg("device")->get<at::Device>(), cuda);
  EXPECT_EQ(device.args[0].get<at::Device>(), cuda);
}

TEST(DeviceTest, KeepsRecordedTypesAndMoves) {
  const Arguments recorded = tensors({at::kHalf, at::kBFloat16, at::kFloat, at::kInt});
  const Arguments device = device_arguments(recorded, kName, at::kMeta);
  EXPECT_THAT(dtypes_of(device), ElementsAre(at::kHalf, at::kBFloat16, at::kFloat, at::kInt));
  EXPECT_TRUE(device.args[0].get<at::Tensor>().is_meta());
}

// torch.tensor_split refuses indices on a device; cuDNN's and NPU's packed sequences have their batch sizes on the
// host.
TEST(DeviceTest, WhatLibTorchReadsOnTheHostStaysThere) {
  const auto moved = [](const char* api, bool by_keyword, const at::Tensor& second) {
    Arguments recorded;
    recorded.args = {ones(at::kFloat)};
    if (by_keyword)
      recorded.kwargs = {{"indices_or_sections", second}};
    else
      recorded.args.emplace_back(second);
    const Arguments device = device_arguments(recorded, {"Torch", api, "0", "Torch.x.0"}, at::kMeta);
    EXPECT_TRUE(device.args[0].get<at::Tensor>().is_meta());
    const at::Tensor result = (by_keyword ? device.kwargs[0].second : device.args[1]).get<at::Tensor>();
    EXPECT_FALSE(result.is_same(second));
    return result.is_meta();
  };
  const at::Tensor sizes = at::ones({2}, at::kLong);
  EXPECT_FALSE(moved("tensor_split", false, sizes));
  EXPECT_FALSE(moved("tensor_split", true, sizes));
  EXPECT_FALSE(moved("lstm", false, sizes));
  EXPECT_TRUE(moved("lstm", false, ones(at::kFloat)));  // not packed: the hidden state
  EXPECT_TRUE(moved("add", false, sizes));
}

TEST(DeviceTest, Float8IsRefusedOnAGpuOnly) {
  const Arguments recorded = tensors({at::kFloat8_e5m2});
  EXPECT_EQ(dtypes_of(device_arguments(recorded, kName, at::kCPU)), std::vector{at::kFloat8_e5m2});
  try {
    device_arguments(recorded, kName, at::Device(at::kCUDA, 0));
    FAIL() << "moved";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Torch.x.0: torch.float8_e5m2 arguments are not replayed on a GPU");
  }
}

// ---- autocast

struct AutocastRow {
  std::vector<at::ScalarType> arguments;
  const char* output;  // nullptr: no output recorded
  std::optional<at::ScalarType> expected;
};
const AutocastRow kAutocastRows[] = {
    {{at::kFloat, at::kFloat}, "torch.float32", std::nullopt},
    {{at::kBFloat16}, "torch.bfloat16", std::nullopt},
    {{at::kFloat, at::kFloat}, "torch.bfloat16", at::kBFloat16},  // linear of a float32 model
    {{at::kFloat, at::kBFloat16, at::kFloat}, "torch.bfloat16", at::kBFloat16},
    {{at::kBFloat16, at::kFloat}, "torch.float32", at::kBFloat16},  // mixed: the one that is not float32
    {{at::kHalf, at::kFloat}, nullptr, at::kHalf},
    {{at::kHalf}, "torch.float32", at::kHalf},  // softmax, which autocast runs in float32
    {{at::kHalf, at::kBFloat16}, "torch.bfloat16", at::kBFloat16},
    {{at::kFloat, at::kDouble}, "torch.float64", std::nullopt},  // no type that autocast has
    {{at::kFloat}, "torch.float64", std::nullopt},
    {{at::kFloat}, "torch.int64", std::nullopt},   // argmax
    {{at::kLong}, "torch.float16", std::nullopt},  // no floating argument
    {{at::kFloat}, nullptr, std::nullopt},
};

TEST(AutocastTest, IsReadFromArgumentsAndFirstOutput) {
  for (const AutocastRow& row : kAutocastRows) {
    std::vector<dump::Argument> outputs;
    if (row.output) outputs.push_back(argument(tensor_meta(row.output, {2}, 1.0, 0.0)));
    EXPECT_EQ(autocast_dtype(tensors(row.arguments), row.output ? &outputs : nullptr), row.expected)
        << (row.output ? row.output : "none") << " " << dtype_name(row.arguments[0]);
  }
}

TEST(AutocastTest, ADtypeKeywordExplainsTheOutput) {
  const std::vector<dump::Argument> outputs{argument(tensor_meta("torch.float32", {2}, 1.0, 0.0))};
  Arguments recorded = tensors({at::kBFloat16});
  recorded.kwargs = {{"dtype", at::kFloat}};
  EXPECT_EQ(autocast_dtype(recorded, &outputs), std::nullopt);
}

TEST(AutocastTest, TheFirstOutputMayBeNested) {
  const dump::Argument tensor = argument(tensor_meta("torch.bfloat16", {2}, 1.0, 0.0));
  const std::vector<dump::Argument> outputs{argument(dump::ListArg{{tensor}})};
  EXPECT_EQ(autocast_dtype(tensors({at::kFloat}), &outputs), at::kBFloat16);
}

}  // namespace
}  // namespace msprobe::inputs
