#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

TEST(ThousandthTest, PassesAboveItsLimit) {
  for (const char* api : {"Functional.conv1d", "Functional.conv2d"})
    for (const char* dtype : {"torch.float16", "torch.bfloat16", "torch.float32"}) {
      const auto at = judge(api, dtype, {{"双千指标", "0.999"}}, {});
      EXPECT_EQ(at.at("双千指标"), "0.99900000000000");
      EXPECT_EQ(at.at("双千指标判定结果"), "error");
      EXPECT_EQ(at.at("比对结果"), "error");
      EXPECT_EQ(at.at("比对算法"), "双千指标法");
      EXPECT_EQ(at.at("Message"), "双千指标 0.999 <= 0.999");
      const auto over = judge(api, dtype, {{"双千指标", exact(above(0.999))}}, {{"双千指标", "0"}});
      EXPECT_EQ(over.at("比对结果"), "pass");
      EXPECT_EQ(over.at("Message"), "");
      EXPECT_EQ(judge(api, dtype, {{"双千指标", "nan"}}, {}).at("Message"), "双千指标 nan, limit 0.999");
    }
}

}  // namespace
}  // namespace msprobe::compare::testing
