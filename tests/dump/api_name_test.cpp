#include "dump/api_name.h"

#include <gtest/gtest.h>

#include "dump/dtype.h"

namespace msprobe::dump {
namespace {

struct NameRow {
  const char *full, *type, *name, *index, *last;
  bool well_formed;
};

TEST(ApiNameTest, IsTakenApartAtItsDots) {
  const NameRow rows[] = {
      {"Functional.conv2d.0", "Functional", "conv2d", "0", "conv2d", true},
      {"Torch.linalg.norm.3", "Torch", "linalg.norm", "3", "norm", true},
      {"Aten.add.Tensor.12", "Aten", "add.Tensor", "12", "Tensor", true},
      {"NPU.atb.npu_ring_mla.0", "NPU", "atb.npu_ring_mla", "0", "npu_ring_mla", true},
      {"Tensor.__getitem__.7", "Tensor", "__getitem__", "7", "__getitem__", true},
      {"Torch.a.b.c.0", "Torch", "a.b.c", "0", "c", false},
      {"Torch.mul.x", "Torch", "mul", "x", "mul", false},
      {"Torch.mul.1a", "Torch", "mul", "1a", "mul", false},
      {"Torch.mul.", "Torch", "mul", "", "mul", false},
      {"Torch..0", "Torch", "", "0", "", false},
      {"Torch.a..0", "Torch", "a.", "0", "", false},
      {".mul.0", "", "mul", "0", "mul", false},
      {"Torch.mul", "Torch", "mul", "", "mul", false},
      {"Torch", "Torch", "", "", "", false},
      {"...", "", ".", "", "", false},
      {"", "", "", "", "", false},
  };
  for (const NameRow& row : rows) {
    const ApiName name = parse_api_name(row.full);
    EXPECT_EQ(name.full, row.full);
    EXPECT_EQ(name.type, row.type) << row.full;
    EXPECT_EQ(name.name, row.name) << row.full;
    EXPECT_EQ(name.index, row.index) << row.full;
    EXPECT_EQ(name.last(), row.last) << row.full;
    EXPECT_EQ(name.well_formed(), row.well_formed) << row.full;
  }
}

TEST(ApiNameTest, DirectionIsTheLastSegmentOnly) {
  const auto key = split_key("Functional.multi_head_attention_forward.0.backward");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->api, "Functional.multi_head_attention_forward.0");
  EXPECT_EQ(key->direction, Direction::kBackward);
  EXPECT_EQ(split_key("Aten.threshold_backward.0.forward")->direction, Direction::kForward);
  for (const char* text :
       {"Torch.mul.0", "Torch.forward.0", "Torch.mul.0.Forward", "Torch.mul.0.forward ", "forward", ""}) {
    EXPECT_FALSE(split_key(text)) << text;
  }
}

TEST(DtypeTest, NamesAndSizesAreTorchs) {
  const std::pair<const char*, int64_t> rows[] = {
      {"bool", 1},          {"uint8", 1},         {"int8", 1},        {"uint16", 2},          {"int16", 2},
      {"uint32", 4},        {"int32", 4},         {"uint64", 8},      {"int64", 8},           {"float16", 2},
      {"bfloat16", 2},      {"float32", 4},       {"float64", 8},     {"complex32", 4},       {"complex64", 8},
      {"complex128", 16},   {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"float8_e4m3fnuz", 1}, {"float8_e5m2fnuz", 1},
      {"float8_e8m0fnu", 1}};
  for (const auto& [name, size] : rows) {
    const auto dtype = parse_dtype(std::string("torch.") + name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(dtype_name(*dtype), name);
    EXPECT_EQ(dtype_size(*dtype), size) << name;
    EXPECT_EQ(parse_dtype(name), dtype);
  }
}

TEST(DtypeTest, SecondNamesAreKnown) {
  EXPECT_EQ(parse_dtype("torch.half"), Dtype::kFloat16);
  EXPECT_EQ(parse_dtype("float"), Dtype::kFloat32);
  EXPECT_EQ(parse_dtype("torch.double"), Dtype::kFloat64);
  EXPECT_EQ(parse_dtype("torch.short"), Dtype::kInt16);
  EXPECT_EQ(parse_dtype("torch.int"), Dtype::kInt32);
  EXPECT_EQ(parse_dtype("torch.long"), Dtype::kInt64);
  EXPECT_EQ(parse_dtype("torch.chalf"), Dtype::kComplex32);
  EXPECT_EQ(parse_dtype("torch.cfloat"), Dtype::kComplex64);
  EXPECT_EQ(parse_dtype("torch.cdouble"), Dtype::kComplex128);
  for (const char* name : {"torch_npu.HiFloat8Tensor", "torch.", "", "torch.torch.float16", "Float32", "qint8"}) {
    EXPECT_FALSE(parse_dtype(name)) << name;
  }
}

}  // namespace
}  // namespace msprobe::dump
