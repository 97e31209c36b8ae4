// Results that are no tensors.
#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

TEST(Builtins, EqualOrError) {
  struct Case {
    Builtin golden, device;
    Status documented, mindstudio;
    const char* message;
  };
  const Case cases[] = {
      {{"int", 3, 0, "3"}, {"int", 3, 0, "3"}, Status::kPass, Status::kPass, "二进制一致错误率 0"},
      {{"int", 9007199254740993.0, 0, "9007199254740993"},
       {"int", 9007199254740992.0, 0, "9007199254740992"},
       Status::kError,
       Status::kError,
       "the golden gives 9007199254740993, the device 9007199254740992"},
      {{"bool", 1, 0, ""},
       {"bool", 0, 0, ""},
       Status::kError,
       Status::kError,
       "the golden gives True, the device False"},
      {{"float", 0.1, 0, ""}, {"float", 0.1, 0, ""}, Status::kPass, Status::kPass, "二进制一致错误率 0"},
      {{"float", 0.5, 0, ""},
       {"float", 0.25, 0, ""},
       Status::kError,
       Status::kError,
       "the golden gives 0.5, the device 0.25"},
      {{"str", 0, 0, "torch.FloatTensor"},
       {"str", 0, 0, "torch.HalfTensor"},
       Status::kError,
       Status::kError,
       "the golden gives \"torch.FloatTensor\", the device \"torch.HalfTensor\""},
      {{"complex", 1, 2, ""},
       {"complex", 1, 3, ""},
       Status::kError,
       Status::kError,
       "the golden gives (1, 2j), the device (1, 3j)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    for (const auto profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
      const bool documented = profile == config::Profile::kDocumented;
      Row row;
      compare_builtins(c.golden, c.device, context(profile), row);
      EXPECT_EQ(row.status, documented ? c.documented : c.mindstudio);
      EXPECT_EQ(row.message, c.message);
      EXPECT_EQ(row.bench_dtype, "<class '" + c.golden.kind + "'>");
      EXPECT_EQ(row.device_dtype, row.bench_dtype);
      EXPECT_EQ(row.shape, "");
      const std::optional<double> rate = row.status == Status::kPass ? std::optional(0.0)
                                         : documented                ? std::optional(1.0)
                                                                     : std::nullopt;
      EXPECT_EQ(row[Figure::kBinaryErrorRate], rate);
    }
  }
}

TEST(Builtins, NanEqualsNanButNotForPython) {
  Row row;
  compare_builtins({"float", kNan, 0, ""}, {"float", kNan, 0, ""}, context(), row);
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row[Figure::kBinaryErrorRate], 0.0);
  // MindStudio's blank stays, its false error does not.
  Row blank;
  compare_builtins({"float", kNan, 0, ""}, {"float", kNan, 0, ""}, mindstudio(), blank);
  EXPECT_EQ(blank.status, Status::kPass);
  EXPECT_EQ(blank[Figure::kBinaryErrorRate], std::nullopt);
}

TEST(Builtins, MessagesStayOnOneLine) {
  Row row;
  compare_builtins({"str", 0, 0, "a\nb\x01"}, {"str", 0, 0, std::string(100, 'x')}, context(), row);
  EXPECT_EQ(row.message, "the golden gives \"a\\nb\\x01\", the device \"" + std::string(59, 'x') + "…\"");
}

TEST(Builtins, KindsMustMatch) {
  Row row;
  compare_builtins({"int", 1, 0, "1"}, {"float", 1, 0, ""}, context(), row);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "the golden gives int, the device float");
}

TEST(Builtins, NoneIsASkip) {
  Row row;
  compare_builtins({"NoneType", 0, 0, ""}, {"NoneType", 0, 0, ""}, context(), row);
  EXPECT_EQ(row.status, Status::kSkip);
  EXPECT_EQ(row.bench_dtype, "");
  EXPECT_EQ(row.message, "both sides give None, nothing to compare");
}

}  // namespace
}  // namespace msprobe::metrics::test
