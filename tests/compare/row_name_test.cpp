#include "compare/row_name.h"

#include <gtest/gtest.h>

namespace msprobe::compare {
namespace {

using config::Profile;
constexpr Profile kDoc = Profile::kDocumented, kMs = Profile::kMindstudio;
constexpr Direction kForward = Direction::kForward, kBackward = Direction::kBackward, kUnknown = Direction::kUnknown;

struct Case {
  Profile profile;
  const char* text;
  bool valid;
  const char *api, *type, *name;
  Direction direction;
};

TEST(RowNameTest, IsTakenApart) {
  const Case cases[] = {
      {kDoc, "Torch.mul.0.forward.output.0", true, "Torch.mul.0", "Torch", "mul", kForward},
      {kDoc, "Torch.mul.12.backward.output.3", true, "Torch.mul.12", "Torch", "mul", kBackward},
      {kDoc, "Torch.linalg.norm.0.forward.output.0", true, "Torch.linalg.norm.0", "Torch", "linalg.norm", kForward},
      {kDoc, "Torch._C._nn.gelu.0.forward.output.0", true, "Torch._C._nn.gelu.0", "Torch", "_C._nn.gelu", kForward},
      {kDoc, "Torch.split.0.forward.output.0.1", true, "Torch.split.0", "Torch", "split", kForward},
      {kDoc, "Tensor.add.forward.output.0", false, "", "", "", kUnknown},
      {kDoc, "Tensor.add.77.sideways.output.0", false, "", "", "", kUnknown},
      {kDoc, "Tensor.add.0.forward.input.0", false, "", "", "", kUnknown},
      {kDoc, "Tensor.add.0.forward.output.x", false, "", "", "", kUnknown},
      {kDoc, "Tensor.add.0.forward.output.", false, "", "", "", kUnknown},
      {kDoc, "Tensor.add.x.forward.output.0", false, "", "", "", kUnknown},
      {kDoc, "Tensor..0.forward.output.0", false, "", "", "", kUnknown},
      {kDoc, ".add.0.forward.output.0", false, "", "", "", kUnknown},
      {kDoc, "forward.output.0", false, "", "", "", kUnknown},
      {kDoc, "", false, "", "", "", kUnknown},
      {kMs, "Torch.mul.0.forward.output.0", true, "Torch.mul.0", "Torch", "mul", kForward},
      {kMs, "Tensor.atb.npu_ring_mla.1.backward.output.0", true, "Tensor.atb.npu_ring_mla.1", "Tensor",
       "atb.npu_ring_mla", kBackward},
      {kMs, "Torch._C._nn.gelu.0.forward.output.0", false, "", "", "", kUnknown},
      {kMs, "Tensor.add.forward.output.0", false, "", "", "", kUnknown},
      {kMs, "Tensor.add.77.sideways.output.0", true, "Tensor.add.77", "Tensor", "add", kUnknown},
      {kMs, "a.b", false, "", "", "", kUnknown},
      {kMs, ".....", true, "..", "", "", kUnknown},
  };
  for (const Case& c : cases) {
    const RowName row = split_row_name(c.text, c.profile);
    ASSERT_EQ(row.valid, c.valid) << c.text;
    if (!c.valid) continue;
    EXPECT_EQ(row.api, c.api) << c.text;
    EXPECT_EQ(row.type, c.type) << c.text;
    EXPECT_EQ(row.name, c.name) << c.text;
    EXPECT_EQ(row.direction, c.direction) << c.text;
  }
}

}  // namespace
}  // namespace msprobe::compare
