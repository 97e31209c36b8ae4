#include <gtest/gtest.h>

#include <set>

#include "inputs/value.h"

namespace msprobe::inputs {
namespace {

struct Row {
  at::ScalarType dtype;
  const char* name;  // str(torch.<dtype>) of Python
};

const Row kRows[] = {
    {at::kBool, "torch.bool"},
    {at::kByte, "torch.uint8"},
    {at::kChar, "torch.int8"},
    {at::kShort, "torch.int16"},
    {at::kInt, "torch.int32"},
    {at::kLong, "torch.int64"},
    {at::kHalf, "torch.float16"},
    {at::kBFloat16, "torch.bfloat16"},
    {at::kFloat, "torch.float32"},
    {at::kDouble, "torch.float64"},
    {at::kComplexHalf, "torch.complex32"},
    {at::kComplexFloat, "torch.complex64"},
    {at::kComplexDouble, "torch.complex128"},
    {at::kFloat8_e4m3fn, "torch.float8_e4m3fn"},
    {at::kFloat8_e5m2, "torch.float8_e5m2"},
    {at::kQInt8, "torch.qint8"},
    {at::kQUInt8, "torch.quint8"},
    {at::kQInt32, "torch.qint32"},
};

TEST(DtypeNameTest, IsTheNameThatPythonPrints) {
  for (const Row& row : kRows) EXPECT_EQ(dtype_name(row.dtype), row.name);
}

TEST(DtypeNameTest, IsUniqueForEveryTypeOfThisLibTorch) {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(at::ScalarType::Undefined); ++i)
    EXPECT_TRUE(names.insert(dtype_name(static_cast<at::ScalarType>(i))).second) << i;
}

TEST(ParseScalarTypeTest, TakesNamesWithAndWithoutTorch) {
  for (const Row& row : kRows) {
    EXPECT_EQ(parse_scalar_type(row.name), row.dtype) << row.name;
    EXPECT_EQ(parse_scalar_type(row.name + std::string("torch.").size()), row.dtype) << row.name;
  }
}

TEST(ParseScalarTypeTest, TakesTorchsSecondNames) {
  EXPECT_EQ(parse_scalar_type("torch.half"), at::kHalf);
  EXPECT_EQ(parse_scalar_type("torch.float"), at::kFloat);
  EXPECT_EQ(parse_scalar_type("torch.double"), at::kDouble);
  EXPECT_EQ(parse_scalar_type("torch.short"), at::kShort);
  EXPECT_EQ(parse_scalar_type("torch.int"), at::kInt);
  EXPECT_EQ(parse_scalar_type("torch.long"), at::kLong);
  EXPECT_EQ(parse_scalar_type("torch.chalf"), at::kComplexHalf);
  EXPECT_EQ(parse_scalar_type("torch.cfloat"), at::kComplexFloat);
  EXPECT_EQ(parse_scalar_type("torch.cdouble"), at::kComplexDouble);
}

TEST(ParseScalarTypeTest, RefusesEverythingElse) {
  for (const char* name :
       {"", "torch.", "Half", "torch.Float", "torch_npu.HiFloat8Tensor", "torch.torch.half", "undefined", "float128"})
    EXPECT_FALSE(parse_scalar_type(name).has_value()) << name;
}

}  // namespace
}  // namespace msprobe::inputs
