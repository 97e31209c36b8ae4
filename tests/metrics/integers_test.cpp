// Integers and bools: exact, at the ends of every type too.
#include <gmock/gmock.h>

#include <random>

#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

at::Tensor longs(const std::vector<int64_t>& values) {
  return at::tensor(values, at::dtype(at::kLong));
}

TEST(Integers, DifferencesNeitherWrapNorRound) {
  const int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  struct Case {
    int64_t golden, device;
    double largest;
  };
  const CompareContext quantising = context(config::Profile::kDocumented, "npu_dynamic_quant");
  for (const Case& c :
       {Case{most, least, 18446744073709551615.0}, Case{least, most, 18446744073709551615.0}, Case{most, most - 1, 1},
        Case{least, least + 1, 1}, Case{(int64_t{1} << 53) + 1, int64_t{1} << 53, 1}, Case{most, most - 3, 3},
        Case{0, least, 9223372036854775808.0}}) {
    const Row row = compare(longs({1, c.golden, 2}), longs({1, c.device, 2}), quantising);
    EXPECT_EQ(*row[Figure::kMaxAbs], c.largest);
    EXPECT_EQ(row.status, c.largest <= 1 ? Status::kPass : Status::kError);
    EXPECT_EQ(compare(longs({1, c.golden, 2}), longs({1, c.device, 2}))[Figure::kBinaryErrorRate], 1.0 / 3);
  }
}

TEST(Integers, Int8DoesNotWrap) {
  const at::Tensor b = at::tensor(std::vector<int64_t>{-128, 0}).to(at::kChar),
                   d = at::tensor(std::vector<int64_t>{127, 0}).to(at::kChar);
  for (const auto profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
    const Row row = compare(b, d, context(profile, "npu_dynamic_quant"));
    EXPECT_EQ(*row[Figure::kMaxAbs], 255);
    EXPECT_EQ(row.status, Status::kError);
    EXPECT_EQ(row.message, "最大绝对误差 255 > 1 (quantising API)");
    EXPECT_EQ(row[Figure::kBinaryErrorRate].has_value(), profile == config::Profile::kDocumented);
  }
}

TEST(Integers, QuantisingApisMayBeOffByOne) {
  const Row row =
      compare(longs({1, 2, 3}), longs({1, 3, 2}), context(config::Profile::kDocumented, "npu_quant_lightning_indexer"));
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.message, "最大绝对误差 1 <= 1 (quantising API)");
  const config::ApiList own = {"my_quant"};
  const auto status = [&](const char* api) {
    return compare(longs({1}), longs({2}), {config::Profile::kDocumented, standards(), own, {"NPU", api}}).status;
  };
  EXPECT_EQ(status("my_quant"), Status::kPass);
  EXPECT_EQ(status("npu_dynamic_quant"), Status::kError);
}

TEST(Integers, QuantisingApisMayBeOneKindOfApi) {
  const config::ApiList own = {"NPU.my_quant"};
  for (const auto& [type, expected] : {std::pair("NPU", Status::kPass), std::pair("Torch", Status::kError)}) {
    const CompareContext context{config::Profile::kDocumented, standards(), own, {type, "my_quant"}};
    EXPECT_EQ(compare(longs({1}), longs({2}), context).status, expected) << type;
  }
}

TEST(Integers, AnyDifferenceIsAnError) {
  Row row = compare(longs({1, 2, 3, 4}), longs({1, 2, 3, 4}));
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.message, "二进制一致错误率 0");
  EXPECT_EQ(filled(row), std::vector<int>{5});
  row = compare(longs({1, 2, 3, 4}), longs({1, 2, 3, 9}));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "二进制一致错误率 0.25 > 0: 1 of 4 elements differ, by up to 5");
  EXPECT_EQ(*row[Figure::kBinaryErrorRate], 0.25);
  row = compare(longs({1, 0, 1}).to(at::kBool), longs({1, 1, 1}).to(at::kBool));
  EXPECT_EQ(row.message, "二进制一致错误率 0.333333 > 0: 1 of 3 elements differ");
  row = compare(at::ones({3}, at::kBool), at::ones({3}, at::kBool));
  EXPECT_EQ(row.message, "二进制一致错误率 0; little evidence: all 3 elements are True");
  row = compare(longs({-7, -7}), longs({-7, -7}));
  EXPECT_EQ(row.message, "二进制一致错误率 0; little evidence: all 2 elements are -7");
}

TEST(Integers, MixedWidthsAndLayouts) {
  EXPECT_EQ(compare(longs({1, -2}), at::tensor({1, -2}, at::dtype(at::kInt))).status, Status::kPass);
  const at::Tensor m = at::arange(6000, at::kLong).view({60, 100});
  EXPECT_EQ(compare(m.t(), m.t().contiguous()).status, Status::kPass);
  at::Tensor other = m.t().contiguous();
  other[99][59] = 0;
  EXPECT_EQ(*compare(m.t(), other)[Figure::kBinaryErrorRate], 1.0 / 6000);
  for (at::ScalarType type : {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong}) {
    SCOPED_TRACE(c10::toString(type));
    at::Tensor a = (at::arange(300000, at::kLong) % 100).to(type), b = a.clone();
    EXPECT_EQ(compare(a, b).status, Status::kPass);
    b[299999] = 50;
    EXPECT_EQ(*compare(a, b)[Figure::kBinaryErrorRate], 1.0 / 300000);
  }
}

TEST(Integers, UnsignedTypesOfNewerLibTorch) {
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    if (std::string(c10::toString(type)) != "UInt64") continue;
    at::Tensor a = longs({-1, 5}).view(type), b = longs({0, 5}).view(type);  // 2^64 - 1 and 0
    const Row row = compare(a, b, context(config::Profile::kDocumented, "npu_dynamic_quant"));
    EXPECT_EQ(row.device_dtype, "torch.uint64");
    EXPECT_EQ(*row[Figure::kMaxAbs], 18446744073709551615.0);
    // Against a signed type: 2^64 - 1 is not -1.
    EXPECT_EQ(*compare(a, longs({-1, 5}), context(config::Profile::kDocumented, "npu_dynamic_quant"))[Figure::kMaxAbs],
              18446744073709551616.0);
  }
}

// Every pair of types, at random and at the ends of each, against 128-bit arithmetic one element at a time.
TEST(Integers, RandomTensorsOfEveryPairOfTypes) {
  std::mt19937_64 random(1);
  const std::vector<at::ScalarType> types = {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong};
  const auto draw = [&](at::ScalarType type) -> int64_t {
    const int bits = type == at::kBool ? 1 : static_cast<int>(8 * c10::elementSize(type));
    const uint64_t word = random() % 4 == 0 ? 0 - (random() % 3) : random();  // 0, -1, -2 often
    if (type == at::kBool || type == at::kByte) return static_cast<int64_t>(word & ((uint64_t{1} << bits) - 1));
    const int64_t value = static_cast<int64_t>(word << (64 - bits)) >> (64 - bits);
    return random() % 8 == 0 ? (bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1))) : value;
  };
  for (const auto golden : types) {
    for (const auto device : types) {
      for (int round = 0; round < 60; ++round) {
        const size_t n = 1 + random() % 300;
        std::vector<int64_t> b(n), d(n);
        for (size_t i = 0; i < n; ++i) {
          b[i] = draw(golden);
          d[i] = draw(device);
          if (round % 3 != 0 || random() % 2 == 0) {  // mostly equal, where both types hold the number
            const int64_t both = static_cast<int64_t>(random() % 2);
            b[i] = d[i] = both;
          }
        }
        const Row row = compare(longs(b).to(golden), longs(d).to(device));
        SCOPED_TRACE(std::string(c10::toString(golden)) + " against " + c10::toString(device) + ": " + row.message);
        if ((golden == at::kBool) != (device == at::kBool)) continue;  // judged by kind, not by value
        size_t differ = 0;
        __int128 largest = 0;
        for (size_t i = 0; i < n; ++i) {
          const __int128 difference = static_cast<__int128>(b[i]) - d[i];
          differ += difference != 0;
          largest = std::max(largest, difference < 0 ? -difference : difference);
        }
        EXPECT_EQ(*row[Figure::kBinaryErrorRate], static_cast<double>(differ) / static_cast<double>(n));
        EXPECT_EQ(row.status, differ == 0 ? Status::kPass : Status::kError);
        if (differ != 0 && golden != at::kBool) {
          EXPECT_THAT(row.message,
                      testing::HasSubstr(std::to_string(differ) + " of " + std::to_string(n) + " element"));
          const Row quantised = compare(longs(b).to(golden), longs(d).to(device),
                                        context(config::Profile::kDocumented, "npu_dynamic_quant"));
          EXPECT_EQ(*quantised[Figure::kMaxAbs], static_cast<double>(largest));
          EXPECT_EQ(quantised.status, largest <= 1 ? Status::kPass : Status::kError);
        }
      }
    }
  }
}

}  // namespace
}  // namespace msprobe::metrics::test
