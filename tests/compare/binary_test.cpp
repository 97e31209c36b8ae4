#include <utility>

#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

TEST(BinaryTest, PassesWhenTheRateOfTheNpuIsZero) {
  struct Case {
    std::string rate, verdict, message;
  };
  for (const Case& c :
       {Case{"0", "pass", ""}, Case{"-0.0", "pass", ""},
        Case{exact(above(0)), "error", "二进制一致错误率 4.94066e-324 > 0"},
        Case{"1", "error", "二进制一致错误率 1 > 0"}, Case{"nan", "error", "二进制一致错误率 nan, limit 0"}})
    for (const auto& [api, dtype] :
         {std::pair("Torch.relu", "torch.float32"), std::pair("Torch.softmax", "torch.int64"),
          std::pair("Torch.mul", "<class 'float'>"), std::pair("Torch.mul", "torch.bool")}) {
      const auto row = judge(api, dtype, {{"二进制一致错误率", c.rate}}, {});
      EXPECT_EQ(row.at("二进制一致错误率判定结果"), c.verdict) << c.rate << dtype;
      EXPECT_EQ(row.at("比对结果"), c.verdict) << c.rate << dtype;
      EXPECT_EQ(row.at("比对算法"), "二进制一致法");
      EXPECT_EQ(row.at("Message"), c.message);
    }
}

}  // namespace
}  // namespace msprobe::compare::testing
