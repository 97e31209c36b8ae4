#include "inputs/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/support.h"
#include "support/error_of.h"

namespace msprobe::inputs {
namespace {

using support::error_of;
using testing::argument;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::record;
using testing::tensor_meta;
using testing::values_of;

Value built(const dump::Argument& description) {
  Fixture fixture;
  return build_value(description, "Torch.x.0", "input.0", fixture.context(), fixture.notes);
}

// ---- forms of arguments

TEST(BuildValueTest, BuiltinsKeepTheirTypes) {
  EXPECT_EQ(built(argument(true)).get<bool>(), true);
  EXPECT_EQ(built(argument(int64_t{-7})).get<int64_t>(), -7);
  EXPECT_EQ(built(argument(2.0)).get<double>(), 2.0);
  EXPECT_EQ(built(argument(std::string("mean"))).get<std::string>(), "mean");
  EXPECT_EQ(built(argument(dump::BigIntArg{"36893488147419103232"})).get<BigInt>().digits, "36893488147419103232");
  EXPECT_TRUE(built(argument(dump::NoneArg{})).is_none());
  EXPECT_TRUE(built(argument(dump::OpaqueArg{})).is<Opaque>());
  EXPECT_TRUE(built(argument(dump::EllipsisArg{})).is<Ellipsis>());
}

TEST(BuildValueTest, NumpyScalarsAreMarked) {
  const Value number = built(argument(int64_t{2}, "int64"));
  EXPECT_EQ(number.get<int64_t>(), 2);
  EXPECT_TRUE(number.is_numpy);
  EXPECT_FALSE(built(argument(int64_t{2})).is_numpy);
}

TEST(BuildValueTest, SpecialObjectsBecomeTheirLibTorchTypes) {
  EXPECT_EQ(built(argument(dump::DtypeArg{"torch.bfloat16"})).get<at::ScalarType>(), at::kBFloat16);
  const std::pair<const char*, at::Device> devices[] = {{"cpu", {at::kCPU}},
                                                        {"cpu:None", {at::kCPU}},
                                                        {"cpu:0", {at::kCPU, 0}},
                                                        {"cuda", {at::kCUDA}},
                                                        {"cuda:1", {at::kCUDA, 1}},
                                                        {"npu", {at::kPrivateUse1}},
                                                        {"npu:3", {at::kPrivateUse1, 3}},
                                                        {"npu:None", {at::kPrivateUse1}},
                                                        {"meta", {at::kMeta}}};
  for (const auto& [name, device] : devices)
    EXPECT_EQ(built(argument(dump::DeviceArg{name})).get<at::Device>(), device) << name;
  const std::pair<const char*, at::MemoryFormat> formats[] = {
      {"contiguous_format", at::MemoryFormat::Contiguous},
      {"preserve_format", at::MemoryFormat::Preserve},
      {"channels_last", at::MemoryFormat::ChannelsLast},
      {"torch.channels_last_3d", at::MemoryFormat::ChannelsLast3d}};
  for (const auto& [name, format] : formats)
    EXPECT_EQ(built(argument(dump::MemoryFormatArg{name})).get<at::MemoryFormat>(), format) << name;
}

TEST(BuildValueTest, ContainersAreBuiltElementByElement) {
  Fixture fixture;
  const dump::TensorMeta meta = tensor_meta("torch.float32", {4}, 1.0, -1.0);
  const dump::Argument nested =
      argument(dump::ListArg{{argument(meta), argument(dump::ListArg{{argument(int64_t{1}), argument(meta)}}),
                              argument(dump::DictArg{{{"key", argument(meta)}}}), argument(dump::NoneArg{})}});
  Value value = build_value(nested, "Torch.x.0", "input.1", fixture.context(), fixture.notes);
  ASSERT_EQ(value.get<List>().items.size(), 4u);
  EXPECT_FALSE(value.get<List>().is_size);
  EXPECT_TRUE(value.get<List>().items[3].is_none());
  std::vector<at::Tensor> found;
  for_each_tensor(value, [&](at::Tensor& tensor) { found.push_back(tensor); });
  ASSERT_EQ(found.size(), 3u);
  const char* positions[] = {"input.1.0", "input.1.1.1", "input.1.2.key"};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(testing::same_bits(found[i], fixture.draw(meta, positions[i]))) << positions[i];

  const Value size = built(argument(dump::ListArg{{argument(int64_t{12})}, true}));
  EXPECT_TRUE(size.get<List>().is_size);
  const Value slice =
      built(argument(dump::SliceArg{{argument(int64_t{1}), argument(dump::NoneArg{}), argument(int64_t{2})}}));
  EXPECT_EQ(slice.get<Slice>().parts.size(), 3u);
  EXPECT_TRUE(slice.get<Slice>().parts[1].is_none());
}

TEST(BuildValueTest, WhatCannotBeBuiltIsNamed) {
  EXPECT_EQ(error_of([] { built(argument(dump::UnknownArg{R"({"type": "torch.Generator"})"})); }),
            "Torch.x.0: input 0: recorded in an unknown form: {\"type\": \"torch.Generator\"}");
  EXPECT_EQ(error_of([] { built(argument(dump::UnknownArg{std::string(5000, 'x')})); }),
            "Torch.x.0: input 0: recorded in an unknown form: " + std::string(100, 'x') + "...");
  EXPECT_EQ(error_of([] { built(argument(dump::DtypeArg{"torch.float2"})); }),
            "Torch.x.0: input 0: dtype \"torch.float2\" is unknown to this LibTorch");
  for (const char* name : {"gpu:0", "npu:x", "npu:-1", "npu:", "cuda:999", ""})
    EXPECT_EQ(error_of([&] { built(argument(dump::DeviceArg{name})); }),
              "Torch.x.0: input 0: device \"" + std::string(name) + "\" is unknown, expected one like npu:0");
  EXPECT_EQ(error_of([] { built(argument(dump::MemoryFormatArg{"nchw"})); }),
            "Torch.x.0: input 0: memory format \"nchw\" is unknown, expected contiguous_format, preserve_format, "
            "channels_last or channels_last_3d");
}

TEST(BuildInputsTest, GradIsRequiredWhereRecordedOfFloatingAndComplexOnly) {
  Fixture fixture;
  dump::ArgumentList args;
  for (const char* dtype : {"torch.float16", "torch.complex64", "torch.int64", "torch.bool", "torch.float32"}) {
    dump::TensorMeta meta = tensor_meta(dtype, {2}, int64_t{1}, int64_t{0});
    meta.requires_grad = std::string(dtype) != "torch.float32";
    args.push_back(argument(meta));
  }
  const Built inputs = fixture.build(record("Torch", "x", args));
  const bool expected[] = {true, true, false, false, false};
  for (int i = 0; i < 5; ++i) {
    const auto& tensor = inputs.arguments.args[i].get<at::Tensor>();
    EXPECT_EQ(tensor.requires_grad(), expected[i]) << i;
    EXPECT_TRUE(tensor.is_leaf());
  }
}

TEST(BuildInputsTest, KeywordsKeepNamesAndOrder) {
  Fixture fixture;
  const dump::TensorMeta meta = tensor_meta("torch.float32", {4}, 1.0, -1.0);
  const Built inputs = fixture.build(record(
      "Torch", "x", {}, {{"other", argument(meta)}, {"alpha", argument(int64_t{2})}, {"input", argument(meta)}}));
  ASSERT_EQ(inputs.arguments.kwargs.size(), 3u);
  EXPECT_EQ(inputs.arguments.kwargs[0].first, "other");
  EXPECT_EQ(inputs.arguments.kwargs[1].first, "alpha");
  EXPECT_TRUE(
      testing::same_bits(inputs.arguments.kwarg("input")->get<at::Tensor>(), fixture.draw(meta, "kwargs.input")));
}

TEST(BuildInputsTest, NumpyArraysBecomeTensors) {
  Fixture fixture;
  dump::TensorMeta meta = tensor_meta("float64", {2, 2}, 8.0, -2.0);
  meta.type = "numpy.ndarray";
  EXPECT_EQ(fixture.draw(meta).scalar_type(), at::kDouble);
}

// ---- real data

dump::TensorMeta real(const char* dtype, std::vector<int64_t> shape, const char* file) {
  dump::TensorMeta meta = tensor_meta(dtype, std::move(shape), 1.0, 0.0);
  meta.data_name = file;
  return meta;
}

TEST(RealDataTest, ValuesAreTheFilesOwn) {
  Fixture fixture;
  fixture.real_data = true;
  EXPECT_THAT(values_of(fixture.draw(real("torch.float32", {2, 3}, "float32.pt"))),
              ElementsAre(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5));
  const at::Tensor bfloat16 = fixture.draw(real("torch.bfloat16", {2, 3}, "bfloat16.pt"));
  EXPECT_EQ(bfloat16.scalar_type(), at::kBFloat16);
  EXPECT_THAT(values_of(bfloat16), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5));
  EXPECT_THAT(values_of(fixture.draw(real("torch.bool", {3}, "bool.pt"))), ElementsAre(1, 0, 1));
  const at::Tensor complex = fixture.draw(real("torch.complex64", {2}, "complex64.pt"));
  EXPECT_THAT(values_of(at::view_as_real(complex)), ElementsAre(1, 2, 0, -3.5));
  EXPECT_THAT(values_of(fixture.draw(real("torch.float8_e4m3fn", {3}, "float8_e4m3fn.pt"))),
              ElementsAre(0.5, -448, 0.001953125));
  EXPECT_THAT(values_of(fixture.draw(real("float64", {2, 2}, "array.npy"))), ElementsAre(1.5, -2, 0.25, 8));
  EXPECT_THAT(fixture.notes, IsEmpty());
}

TEST(RealDataTest, TheFileOutlivesItsReader) {
  at::Tensor kept;
  {
    Fixture fixture;
    fixture.real_data = true;
    kept = fixture.draw(real("torch.float32", {2, 3}, "float32.pt"));
  }
  EXPECT_EQ(kept.sum().item<double>(), 0);
}

TEST(RealDataTest, WritingToATensorLeavesTheFileAlone) {
  Fixture fixture;
  fixture.real_data = true;
  fixture.draw(real("torch.float32", {2, 3}, "float32.pt")).fill_(99);
  EXPECT_EQ(values_of(fixture.draw(real("torch.float32", {2, 3}, "float32.pt")))[0], -2.5);
}

TEST(RealDataTest, GradIsTheRecordsNotTheFiles) {
  Fixture fixture;
  fixture.real_data = true;
  dump::TensorMeta meta = real("torch.float32", {2, 3}, "float32.pt");
  meta.requires_grad = true;
  EXPECT_TRUE(fixture.draw(meta).requires_grad());
}

TEST(RealDataTest, DisagreementIsSaidAndTheFileUsed) {
  Fixture fixture;
  fixture.real_data = true;
  const at::Tensor tensor = fixture.draw(real("torch.float16", {6}, "float32.pt"));
  EXPECT_EQ(tensor.scalar_type(), at::kFloat);
  EXPECT_EQ(tensor.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: recorded as torch.float16, its file holds float32, which is used",
                                         "input 0: recorded shape (6), its file holds (2, 3), which is used"));
}

TEST(RealDataTest, EmptyTensorsNeedNoFileAndOthersAreDrawn) {
  Fixture fixture;
  fixture.real_data = true;
  EXPECT_EQ(fixture.draw(tensor_meta("torch.float32", {0, 3}, dump::Null{}, dump::Null{})).numel(), 0);
  EXPECT_THAT(fixture.notes, IsEmpty());
  const at::Tensor drawn = fixture.draw(tensor_meta("torch.float32", {5}, 1.0, 0.0));
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: no file recorded, drawn at random"));
  fixture.real_data = false;
  EXPECT_TRUE(testing::same_bits(drawn, fixture.draw(tensor_meta("torch.float32", {5}, 1.0, 0.0))));
}

TEST(RealDataTest, FilesOfAStatisticsDumpAreIgnored) {
  Fixture fixture;
  const auto values = values_of(fixture.draw(real("torch.float32", {2, 3}, "absent.pt")));
  EXPECT_EQ(values.back(), 1);
}

TEST(RealDataTest, AFileThatCannotBeReadIsNamed) {
  Fixture fixture;
  fixture.real_data = true;
  for (const char* name : {"absent.pt", "../draws.txt"})
    EXPECT_THAT(error_of([&] { fixture.draw(real("torch.float32", {2}, name)); }), HasSubstr(name));
}

TEST(RealDataTest, HiFloat8IsRefusedEvenWithAFile) {
  Fixture fixture;
  fixture.real_data = true;
  EXPECT_EQ(
      error_of([&] {
        fixture.draw(real("torch_npu.HiFloat8Tensor", {2, 3}, "float32.pt"));
      }),
      "Torch.x.0: input 0: torch_npu.HiFloat8Tensor cannot be rebuilt: LibTorch has no such type, only an NPU has");
}

// ---- output gradients

TEST(OutputGradientsTest, AreBuiltLikeInputsWithoutGradAndWithNoneForNull) {
  Fixture fixture;
  dump::TensorMeta meta = tensor_meta("torch.float32", {8}, 5.0, 5.0);
  meta.requires_grad = true;
  dump::Record call = record("Torch", "split");
  call.backward = dump::BackwardRecord{{argument(meta), argument(dump::NoneArg{}), argument(meta)}, {}};
  std::vector<std::string> notes;
  const auto gradients = build_output_gradients(call, fixture.context(), notes);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_TRUE(gradients[1].is_none());
  for (const int i : {0, 2}) {
    EXPECT_FALSE(gradients[i].get<at::Tensor>().requires_grad());
    EXPECT_TRUE(gradients[i].get<at::Tensor>().eq(5).all().item<bool>());
  }
}

TEST(OutputGradientsTest, NotesCallThemByName) {
  Fixture fixture;
  dump::Record call = record("Torch", "exp");
  call.backward =
      dump::BackwardRecord{{argument(tensor_meta("torch.float32", {8}, dump::Absent{}, dump::Absent{}))}, {}};
  std::vector<std::string> notes;
  build_output_gradients(call, fixture.context(), notes);
  EXPECT_THAT(notes, ElementsAre("output gradient 0: no Max/Min recorded, drawn from [-1, 1]"));
}

TEST(OutputGradientsTest, AreNoneWithoutABackwardRecord) {
  Fixture fixture;
  EXPECT_THAT(build_output_gradients(record("Torch", "exp"), fixture.context(), fixture.notes), IsEmpty());
}

}  // namespace
}  // namespace msprobe::inputs
