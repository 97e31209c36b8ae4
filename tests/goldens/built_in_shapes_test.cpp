// Goldens of fused operators on shapes and numbers that no NPU takes: an error that says so, never a division by 0
// or a half that is not there.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "goldens/built_in.h"

namespace msprobe::goldens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const char* name, inputs::Arguments arguments) {
  const Golden* golden = find_built_in(name);
  if (golden == nullptr) throw std::logic_error(std::string("no golden ") + name);
  try {
    golden->call(arguments);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

std::string attention(const at::Tensor& q, const at::Tensor& k, int64_t heads, const char* layout,
                      std::vector<std::pair<std::string, inputs::Value>> keywords = {}) {
  return error_of("npu_fusion_attention", {{q, k, k, heads, layout}, std::move(keywords)});
}

TEST(FusedShapes, HeadsThatDoNotDivideAreRefused) {
  const at::Tensor x = at::ones({2, 3, 8});
  EXPECT_EQ(attention(x, x, 2, "BSH"), "no error");
  for (const char* layout : {"BSH", "SBH"})
    for (const int64_t heads : {int64_t{0}, int64_t{-2}, std::numeric_limits<int64_t>::min()})
      EXPECT_THAT(attention(x, x, heads, layout), HasSubstr("do not divide into")) << layout << heads;
  // Fewer numbers a token than one head has; none at all.
  EXPECT_THAT(attention(x, at::ones({2, 3, 2}), 2, "BSH"), HasSubstr("2 numbers a token do not divide into 0 heads"));
  EXPECT_THAT(attention(at::ones({2, 3, 0}), x, 2, "BSH"), HasSubstr("8 numbers a token do not divide into 0 heads"));
  EXPECT_THAT(attention(at::ones({2, 2, 3, 4}), at::ones({2, 0, 3, 4}), 2, "BNSD"),
              HasSubstr("2 query heads do not divide into 0 key heads"));
  EXPECT_THAT(attention(at::ones({2, 0, 3, 4}), at::ones({2, 0, 3, 4}), 2, "BNSD"),
              HasSubstr("0 query heads do not divide into 0 key heads"));
}

TEST(FusedShapes, WindowsAndLengthsOfAnySizeAreTaken) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  const at::Tensor x = at::ones({1, 2, 3, 4}), t = at::ones({3, 2, 4});
  const at::Tensor triangle = at::ones({2048, 2048}, at::kBool).triu(1);
  for (const int64_t before : {kLeast, kMost})
    for (const int64_t after : {kLeast, kMost})
      EXPECT_EQ(
          attention(x, x, 2, "BNSD",
                    {{"atten_mask", triangle}, {"sparse_mode", 4}, {"pre_tockens", before}, {"next_tockens", after}}),
          "no error");
  const auto packed = [&](std::vector<int64_t> ends) {
    const inputs::Value list = inputs::List{std::vector<inputs::Value>(ends.begin(), ends.end()), false};
    return attention(t, t, 2, "TND", {{"actual_seq_qlen", list}, {"actual_seq_kvlen", list}});
  };
  EXPECT_EQ(packed({1, 3}), "no error");
  for (const auto& ends : {std::vector<int64_t>{1, kLeast}, {kMost}, {-1}})
    EXPECT_THAT(packed(ends), HasSubstr("must rise and stay within the tensors"));
}

TEST(FusedShapes, WhatHasNoTwoHalvesIsRefused) {
  const at::Tensor one = at::ones({2, 1}), two = at::ones({2, 2}), scalar = at::ones({});
  EXPECT_EQ(error_of("npu_swiglu", {{two}, {}}), "no error");
  EXPECT_THAT(error_of("npu_swiglu", {{one}, {}}), HasSubstr("has no two halves"));
  EXPECT_THAT(error_of("npu_swiglu", {{one, 5}, {}}), Not(HasSubstr("no error")));
  EXPECT_THAT(error_of("npu_swiglu", {{scalar}, {}}), Not(HasSubstr("no error")));
  EXPECT_THAT(error_of("npu_swiglu_backward", {{one, one}, {}}), HasSubstr("has no two halves"));
  EXPECT_EQ(error_of("npu_rotary_mul", {{two, two, two}, {}}), "no error");
  EXPECT_THAT(error_of("npu_rotary_mul", {{one, one, one}, {}}), HasSubstr("has no two halves"));
  EXPECT_THAT(error_of("npu_rotary_mul", {{scalar, scalar, scalar}, {}}), HasSubstr("has no two halves"));
}

TEST(FusedShapes, ExpertsAndDimensionsThatAreNotThereAreNamed) {
  const auto gate = [](std::vector<int64_t> shape, int64_t k) {
    return error_of("npu_moe_gating_top_k_softmax", {{at::ones(shape)}, {{"k", k}}});
  };
  EXPECT_EQ(gate({3, 4}, 2), "no error");
  EXPECT_THAT(gate({3, 0}, 1), HasSubstr("1 of 0 experts"));
  EXPECT_THAT(gate({3, 4}, int64_t{1} << 62), HasSubstr("of 4 experts"));
  EXPECT_THAT(gate({3, 4}, -1), HasSubstr("-1 of 4 experts"));
  const at::Tensor scalar = at::ones({}), row = at::ones({4});
  EXPECT_EQ(error_of("npu_rms_norm", {{row, row}, {}}), "no error");
  EXPECT_THAT(error_of("npu_rms_norm", {{scalar, row}, {}}), HasSubstr("gamma has 1 dimensions, the input 0"));
  EXPECT_THAT(error_of("npu_rms_norm_backward", {{scalar, scalar, row, scalar}, {}}),
              HasSubstr("gamma has 1 dimensions, the input 0"));
}

}  // namespace
}  // namespace msprobe::goldens
