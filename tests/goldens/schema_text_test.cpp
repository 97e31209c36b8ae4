// Schemas of torch_npu as Python's parameter lists.
#include "goldens/schema_text.h"

#include <gtest/gtest.h>

namespace msprobe::goldens {
namespace {

TEST(SchemaTextTest, ParametersAreTheSchemasNamesAndDefaults) {
  EXPECT_EQ(python_parameters(
                "f(Tensor input, int[] perm, str mode=\"half\", *, Tensor? x=None, float s=1., bool[2] m) -> Tensor"),
            "input, perm, mode='half', *, x=None, s=1.0, m");
  EXPECT_EQ(python_parameters("f(Tensor(a!) self, *, Tensor[] out) -> (Tensor, Tensor)"), "self, *, out");
}

}  // namespace
}  // namespace msprobe::goldens
