// docs/inputs.md#random-data, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "inputs/support.h"
#include "util/error.h"

namespace msprobe::inputs {
namespace {

using dump::Absent;
using dump::Null;
using dump::OtherText;
using dump::Statistic;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::IsEmpty;
using testing::tensor_meta;
using testing::values_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max(), kInt64Min = std::numeric_limits<int64_t>::min();

/// Every element but those named lies in [low, high].
void expect_within(const std::vector<double>& values, double low, double high, std::set<size_t> except = {}) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (except.count(i)) continue;
    ASSERT_TRUE(values[i] >= low && values[i] <= high) << i << ": " << values[i];
  }
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

TEST(FloatDrawTest, IsUniformWithExtremesPlanted) {
  for (const char* dtype : {"torch.float16", "torch.bfloat16", "torch.float32", "torch.float64"}) {
    Fixture fixture;
    const auto values = values_of(fixture.draw(tensor_meta(dtype, {100, 100}, 3.0, -1.0)));
    EXPECT_EQ(values.front(), -1.0) << dtype;
    EXPECT_EQ(values.back(), 3.0) << dtype;
    expect_within(values, -1, 3);
    // Uniform on [-1, 3]: mean 1, standard deviation of the mean of 10^4 draws 0.0115; quarters hold 2500 +- 43.
    EXPECT_NEAR(mean(values), 1, 0.06) << dtype;
    for (int quarter = 0; quarter < 4; ++quarter)
      EXPECT_NEAR(
          std::count_if(values.begin(), values.end(), [&](double v) { return v >= quarter - 1 && v < quarter; }), 2500,
          220)
          << dtype << quarter;
    EXPECT_THAT(fixture.notes, IsEmpty());
  }
}

TEST(FloatDrawTest, StaysInTheRangeAfterRoundingToAHalf) {
  // 1000.5 lies between two float16 values; neighbours of the bounds must not be reached.
  for (const char* dtype : {"torch.float16", "torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2"}) {
    Fixture fixture;
    const auto values = values_of(fixture.draw(tensor_meta(dtype, {20000}, 1.25, 1.0)));
    expect_within(values, 1, 1.25);
    EXPECT_EQ(values.front(), 1) << dtype;
    EXPECT_EQ(values.back(), 1.25) << dtype;
  }
}

TEST(FloatDrawTest, DrawsNeighbouringBoundsExactly) {
  Fixture fixture;
  const double high = std::nextafter(1.0, 2.0);
  const auto values = values_of(fixture.draw(tensor_meta("torch.float64", {4000}, high, 1.0)));
  EXPECT_NEAR(std::count(values.begin(), values.end(), 1.0), 2000, 300);
  EXPECT_EQ(std::count(values.begin(), values.end(), 1.0) + std::count(values.begin(), values.end(), high), 4000);
}

TEST(FloatDrawTest, OneElementIsMax) {
  Fixture fixture;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, std::vector<int64_t>{1, 1}}) {
    EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.float32", shape, 2.5, -3.0))), ElementsAre(2.5));
    EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.int32", shape, int64_t{7}, int64_t{-3}))), ElementsAre(7));
    EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.float32", shape, kInf, 0.0))), ElementsAre(kInf));
    EXPECT_TRUE(std::isnan(values_of(fixture.draw(tensor_meta("torch.float32", shape, kNan, kNan)))[0]));
  }
}

TEST(FloatDrawTest, EmptyShapesGiveEmptyTensorsWhateverWasRecorded) {
  Fixture fixture;
  for (const char* dtype : {"torch.float16", "torch.int64", "torch.bool", "torch.complex64", "torch.float8_e5m2"}) {
    const at::Tensor tensor = fixture.draw(tensor_meta(dtype, {3, 0, 2}, Null{}, Null{}));
    EXPECT_EQ(tensor.sizes(), (std::vector<int64_t>{3, 0, 2}));
    EXPECT_EQ(dtype_name(tensor.scalar_type()), dtype);
  }
  EXPECT_THAT(fixture.notes, IsEmpty());
}

// ---- nan and infinities

TEST(FloatDrawTest, NanWithoutFiniteFiguresIsPlantedInTheDefaultRange) {
  Fixture fixture;
  fixture.settings.default_range = {-4, 4};
  const auto values = values_of(fixture.draw(tensor_meta("torch.float32", {101}, kNan, kNan)));
  EXPECT_TRUE(std::isnan(values[50]));
  expect_within(values, -4, 4, {50});
  EXPECT_EQ(values.front(), -4);
  EXPECT_EQ(values.back(), 4);
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: nan recorded, one planted, drawn from [-4, 4]"));
}

TEST(FloatDrawTest, NanWithFiniteFiguresIsDrawnBetweenThem) {
  Fixture fixture;
  auto meta = tensor_meta("torch.float16", {10}, kNan, kNan);
  meta.max_except_inf_nan = 8.0;
  meta.min_except_inf_nan = 2.0;
  const auto values = values_of(fixture.draw(meta));
  EXPECT_TRUE(std::isnan(values[5]));
  expect_within(values, 2, 8, {5});
  EXPECT_EQ(values.front(), 2);
  EXPECT_EQ(values.back(), 8);
}

TEST(FloatDrawTest, InfinityWithFiniteFiguresIsPlantedAtItsEnd) {
  Fixture fixture;
  auto meta = tensor_meta("torch.float32", {50}, kInf, -kInf);
  meta.max_except_inf_nan = 8.0;
  meta.min_except_inf_nan = 2.0;
  const auto values = values_of(fixture.draw(meta));
  EXPECT_EQ(values.front(), -kInf);
  EXPECT_EQ(values.back(), kInf);
  expect_within(values, 2, 8, {0, 49});
}

struct InfinityRow {
  double max, min, low, high;  // recorded; expected range
};
const InfinityRow kInfinityRows[] = {
    {kInf, -3, -3, 3}, {kInf, 0, 0, 1},   {kInf, -0.5, -0.5, 1}, {kInf, 4, 4, 8},
    {3, -kInf, -3, 3}, {0, -kInf, -1, 0}, {-4, -kInf, -8, -4},   {kInf, -kInf, -1, 1},
};

TEST(FloatDrawTest, OneInfinityIsPlantedAndTheRestDrawnBesideTheFiniteBound) {
  for (const InfinityRow& row : kInfinityRows) {
    Fixture fixture;
    const auto values = values_of(fixture.draw(tensor_meta("torch.float32", {1000}, row.max, row.min)));
    EXPECT_EQ(values.front(), row.min);
    EXPECT_EQ(values.back(), row.max);
    expect_within(values, row.low, row.high, {0, 999});
    EXPECT_NEAR(mean({values.begin() + 1, values.end() - 1}), (row.low + row.high) / 2, (row.high - row.low) / 15);
    EXPECT_EQ(fixture.notes.size(), 1u);
  }
}

TEST(FloatDrawTest, TheSameInfinityTwiceIsAllOfIt) {
  for (const double infinity : {kInf, -kInf}) {
    Fixture fixture;
    for (const double v : values_of(fixture.draw(tensor_meta("torch.bfloat16", {2, 3}, infinity, infinity))))
      EXPECT_EQ(v, infinity);
  }
}

TEST(FloatDrawTest, ProfileMindstudioMakesNanAll) {
  Fixture fixture;
  fixture.settings.profile = config::Profile::kMindstudio;
  auto meta = tensor_meta("torch.float32", {2, 3}, kNan, kNan);
  meta.max_except_inf_nan = 8.0;
  meta.min_except_inf_nan = 2.0;
  for (const double v : values_of(fixture.draw(meta))) EXPECT_TRUE(std::isnan(v));
}

TEST(FloatDrawTest, ProfileMindstudioMakesInfinityAllMaxAndTheLastRowLow) {
  Fixture fixture;
  fixture.settings.profile = config::Profile::kMindstudio;
  EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.float32", {3, 2}, kInf, -1.0))),
              ElementsAre(kInf, kInf, kInf, kInf, -1, -1));
  EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.float16", {3}, 5.0, -kInf))), ElementsAre(5, 5, -kInf));
  EXPECT_THAT(values_of(fixture.draw(tensor_meta("torch.float16", {}, kInf, -1.0))), ElementsAre(kInf));
}

// ---- wide ranges

struct WideRow {
  const char* dtype;
  double max, min;
  bool symmetric;
};
const WideRow kWideRows[] = {
    {"torch.float16", 65504.0, -65504.0, true},
    {"torch.bfloat16", 3.3895313892515355e+38, -3.3895313892515355e+38, true},
    {"torch.float32", 3.4028234663852886e+38, -3.4028234663852886e+38, true},
    {"torch.float64", 1.7976931348623157e+308, -1.7976931348623157e+308, true},
    {"torch.float16", 3.0, -65504.0, false},
    {"torch.float32", 0.0, -3.4028234663852886e+38, false},
    {"torch.float64", 0.0, -1.7976931348623157e+308, false},
    {"torch.bfloat16", 1.0, -3.3895313892515355e+38, false},
};

TEST(WholeRangeTest, DrawsAreFiniteExactAtTheEndsAndSpread) {
  for (const WideRow& row : kWideRows) {
    Fixture fixture;
    const auto values = values_of(fixture.draw(tensor_meta(row.dtype, {64, 64}, row.max, row.min)));
    EXPECT_EQ(values.front(), row.min);
    EXPECT_EQ(values.back(), row.max);
    expect_within(values, row.min, row.max);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 100u) << row.dtype;
    const auto positive = std::count_if(values.begin(), values.end(), [](double v) { return v > 0; });
    const auto far = std::count_if(values.begin(), values.end(), [&](double v) { return v < row.min / 20; });
    if (row.symmetric)
      EXPECT_TRUE(positive > 0.4 * 4096 && positive < 0.6 * 4096) << row.dtype << positive;
    else
      EXPECT_GT(far, 0.9 * 4096) << row.dtype;
    EXPECT_THAT(fixture.notes, IsEmpty());
  }
}

TEST(WholeRangeTest, BoundsBeyondTheDtypeAreCutToIt) {
  Fixture fixture;
  const auto values = values_of(fixture.draw(tensor_meta("torch.float16", {500}, 1e6, -1e6)));
  EXPECT_EQ(values.front(), -65504);
  EXPECT_EQ(values.back(), 65504);
  expect_within(values, -65504, 65504);
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: recorded range cut to float16's, [-65504, 65504]"));
}

TEST(WholeRangeTest, Float8IsDrawnInFloat32ThenCast) {
  for (const auto& [dtype, limit] : {std::pair{"torch.float8_e4m3fn", 448.0}, {"torch.float8_e5m2", 57344.0}}) {
    Fixture fixture;
    const at::Tensor tensor = fixture.draw(tensor_meta(dtype, {4096}, 1e9, -1e9));
    const auto values = values_of(tensor);
    EXPECT_EQ(values.front(), -limit);
    EXPECT_EQ(values.back(), limit);
    expect_within(values, -limit, limit);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 60u);
  }
}

TEST(WholeRangeTest, SubnormalRangesAreDrawn) {
  Fixture fixture;
  const auto values = values_of(fixture.draw(tensor_meta("torch.float64", {2000}, 1e-310, 5e-324)));
  expect_within(values, 5e-324, 1e-310);
  EXPECT_NEAR(std::count_if(values.begin(), values.end(), [](double v) { return v > 5e-311; }), 1000, 150);
}

// ---- integers and bool

struct IntegerRow {
  const char* dtype;
  Statistic max, min;
  int64_t first, last;
};
const IntegerRow kIntegerRows[] = {
    {"torch.int64", kInt64Max, int64_t{0}, 0, kInt64Max},
    {"torch.int64", 9.223372036854776e+18, int64_t{0}, 0, kInt64Max},
    {"torch.int64", kInt64Max, kInt64Min, kInt64Min, kInt64Max},
    {"torch.int32", 2147483648.0, int64_t{0}, 0, 2147483647},
    {"torch.int32", int64_t{2147483647}, int64_t{-2147483648}, -2147483648, 2147483647},
    {"torch.int16", int64_t{32767}, int64_t{-32768}, -32768, 32767},
    {"torch.int8", int64_t{127}, int64_t{-128}, -128, 127},
    {"torch.uint8", int64_t{255}, int64_t{0}, 0, 255},
    {"torch.uint8", 256.0, int64_t{0}, 0, 255},
    {"torch.int64", int64_t{9}, int64_t{-100}, -100, 9},
    {"torch.int64", kInt64Max, kInt64Max - 2, kInt64Max - 2, kInt64Max},
    {"torch.int32", kInf, -kInf, -2147483648, 2147483647},
    {"torch.uint8", 7.9, -3.5, 0, 7},
    {"torch.int32", int64_t{4}, int64_t{4}, 4, 4},
};

TEST(IntegerDrawTest, IsExactAtTheEndsAndInside) {
  for (const IntegerRow& row : kIntegerRows) {
    Fixture fixture;
    const at::Tensor tensor = fixture.draw(tensor_meta(row.dtype, {64}, row.max, row.min)).to(at::kLong);
    const auto* data = tensor.data_ptr<int64_t>();
    EXPECT_EQ(data[0], row.first) << row.dtype;
    EXPECT_EQ(data[63], row.last) << row.dtype;
    for (int i = 0; i < 64; ++i) ASSERT_TRUE(data[i] >= row.first && data[i] <= row.last) << row.dtype << data[i];
  }
}

TEST(IntegerDrawTest, EveryValueIsEquallyLikely) {
  Fixture fixture;
  const at::Tensor tensor = fixture.draw(tensor_meta("torch.int8", {40000}, int64_t{3}, int64_t{-4}));
  for (int value = -4; value <= 3; ++value)
    EXPECT_NEAR(tensor.eq(value).sum().item<int64_t>(), 5000, 350) << value;  // sigma 66
}

TEST(IntegerDrawTest, SpreadsOverTheWholeOfInt64) {
  Fixture fixture;
  const at::Tensor tensor = fixture.draw(tensor_meta("torch.int64", {4000}, kInt64Max, kInt64Min));
  EXPECT_NEAR(tensor.gt(0).sum().item<int64_t>(), 2000, 200);
  EXPECT_NEAR(tensor.bitwise_and(1).sum().item<int64_t>(), 2000, 200);  // low bits are drawn too
}

TEST(IntegerDrawTest, Uint64ReachesBothEnds) {
  const auto type = parse_scalar_type("uint64");
  if (!type) GTEST_SKIP() << "this LibTorch has no uint64";
  Fixture fixture;
  const at::Tensor tensor = fixture.draw(tensor_meta("torch.uint64", {1000}, 1.8446744073709552e19, int64_t{0}));
  const auto* data = static_cast<const uint64_t*>(tensor.data_ptr());
  EXPECT_EQ(data[0], 0u);
  EXPECT_EQ(data[999], std::numeric_limits<uint64_t>::max());
  EXPECT_NEAR(std::count_if(data, data + 1000, [](uint64_t v) { return v >> 63; }), 500, 100);
}

TEST(IntegerDrawTest, SaysThatARangeWasCut) {
  Fixture fixture;
  fixture.draw(tensor_meta("torch.int32", {4}, 2147483648.0, int64_t{0}));
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: recorded range cut to int32's, [0, 2147483647]"));
}

TEST(BoolDrawTest, IsMixedOrConstantAsRecorded) {
  Fixture fixture;
  const at::Tensor mixed = fixture.draw(tensor_meta("torch.bool", {2000}, true, false));
  EXPECT_NEAR(mixed.sum().item<int64_t>(), 1000, 150);
  EXPECT_FALSE(mixed[0].item<bool>());
  EXPECT_TRUE(mixed[1999].item<bool>());
  EXPECT_TRUE(fixture.draw(tensor_meta("torch.bool", {50}, true, true)).all().item<bool>());
  EXPECT_FALSE(fixture.draw(tensor_meta("torch.bool", {50}, false, false)).any().item<bool>());
  // Max and Min the wrong way round are ordered first.
  EXPECT_NEAR(fixture.draw(tensor_meta("torch.bool", {2000}, false, true)).sum().item<int64_t>(), 1000, 150);
  // Older dumps hold numbers.
  EXPECT_NEAR(fixture.draw(tensor_meta("torch.bool", {2000}, int64_t{1}, 0.0)).sum().item<int64_t>(), 1000, 150);
  EXPECT_THAT(fixture.notes, IsEmpty());
}

// ---- complex

TEST(ComplexDrawTest, HasUniformModulusAndUniformPhase) {
  for (const char* dtype : {"torch.complex64", "torch.complex128"}) {
    Fixture fixture;
    const at::Tensor tensor = fixture.draw(tensor_meta(dtype, {10000}, 3.0, 1.0));
    const auto modulus = values_of(tensor.abs());
    expect_within(modulus, 1 - 1e-6, 3 + 1e-6);
    EXPECT_NEAR(mean(modulus), 2, 0.03);  // sigma of the mean 0.0058
    const auto phase = values_of(tensor.angle());
    for (int sector = 0; sector < 8; ++sector) {
      const double from = -M_PI + sector * M_PI / 4;
      EXPECT_NEAR(std::count_if(phase.begin(), phase.end(), [&](double p) { return p >= from && p < from + M_PI / 4; }),
                  1250, 170)  // sigma 33
          << dtype << sector;
    }
    EXPECT_EQ(modulus.front(), 1);
    EXPECT_EQ(modulus.back(), 3);
  }
}

TEST(ComplexDrawTest, DefaultRangeIsTakenAsAModulus) {
  Fixture fixture;
  const at::Tensor tensor = fixture.draw(tensor_meta("torch.complex64", {500}, Null{}, Null{}));
  expect_within(values_of(tensor.abs()), 0, 1 + 1e-6);
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: no Max/Min recorded, drawn from [0, 1]"));
}

TEST(ComplexDrawTest, Complex32IsRoundedFromComplex64) {
  Fixture fixture;
  const at::Tensor half = fixture.draw(tensor_meta("torch.complex32", {300}, 2.0, 0.5));
  const at::Tensor single = fixture.draw(tensor_meta("torch.complex64", {300}, 2.0, 0.5));
  EXPECT_EQ(half.scalar_type(), at::kComplexHalf);
  EXPECT_TRUE(
      at::equal(at::view_as_real(half.to(at::kComplexFloat)), at::view_as_real(single).to(at::kHalf).to(at::kFloat)));
}

// ---- missing and unusable figures

TEST(StatisticTest, AbsentOrNullIsDrawnFromTheDefaultRangeAndSaid) {
  for (const Statistic& none : {Statistic{Absent{}}, Statistic{Null{}}})
    for (const char* dtype : {"torch.float32", "torch.float8_e4m3fn", "torch.int32"}) {
      Fixture fixture;
      const auto values = values_of(fixture.draw(tensor_meta(dtype, {400}, none, none)));
      expect_within(values, -1, 1);
      EXPECT_EQ(values.front(), -1);
      EXPECT_EQ(values.back(), 1);
      EXPECT_THAT(fixture.notes, ElementsAre("input 0: no Max/Min recorded, drawn from [-1, 1]")) << dtype;
    }
}

TEST(StatisticTest, OneOfTwoIsNotEnough) {
  Fixture fixture;
  expect_within(values_of(fixture.draw(tensor_meta("torch.float32", {400}, 50.0, Absent{}))), -1, 1);
}

TEST(StatisticTest, ANanBesideAnIntegersBoundIsSaid) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  struct Row {
    Statistic max, min;
    double low, high;
    const char* note;
  };
  for (const Row& row : {Row{kNan, kInfinity, -1, 1, "Max is nan, Min is inf, drawn from [-1, 1]"},
                         Row{kNan, 5.0, 5, 10, "Max is nan, Min is 5, drawn from [5, 10]"},
                         Row{kNan, int64_t{-3}, -3, 3, "Max is nan, Min is -3, drawn from [-3, 3]"},
                         Row{int64_t{-4}, kNan, -8, -4, "Max is -4, Min is nan, drawn from [-8, -4]"},
                         Row{kNan, Absent{}, -1, 1, "Max is nan, drawn from [-1, 1]"}}) {
    Fixture fixture;
    const auto values = values_of(fixture.draw(tensor_meta("torch.int32", {400}, row.max, row.min)));
    expect_within(values, row.low, row.high);
    EXPECT_THAT(fixture.notes, ElementsAre(std::string("input 0: ") + row.note));
  }
}

TEST(StatisticTest, MaxBelowMinIsTakenInOrder) {
  Fixture fixture;
  const auto values = values_of(fixture.draw(tensor_meta("torch.float32", {400}, -2.0, 5.0)));
  expect_within(values, -2, 5);
  EXPECT_EQ(values.front(), -2);
  EXPECT_THAT(fixture.notes, ElementsAre("input 0: recorded Max lies below Min, taken in order"));
}

TEST(StatisticTest, TextIsAnErrorThatQuotesIt) {
  for (const char* dtype : {"torch.float32", "torch.int64", "torch.complex64"}) {
    Fixture fixture;
    try {
      fixture.draw(tensor_meta(dtype, {4}, OtherText{"\"big\""}, 0.0));
      FAIL() << "drawn";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "Torch.x.0: input 0: Max is \"big\", expected a number; record the dump again");
    }
  }
}

TEST(StatisticTest, UnknownDtypesAndShapesAreErrors) {
  struct Row {
    const char* dtype;
    std::vector<int64_t> shape;
    const char* message;
  };
  const Row rows[] = {
      {"torch_npu.HiFloat8Tensor",
       {2},
       "Torch.x.0: input 0: torch_npu.HiFloat8Tensor cannot be rebuilt: LibTorch has no such type, only an NPU has"},
      {"torch.qint8",
       {2},
       "Torch.x.0: input 0: dtype \"torch.qint8\" cannot be rebuilt, expected one like torch.float16"},
      {"object", {2}, "Torch.x.0: input 0: dtype \"object\" cannot be rebuilt, expected one like torch.float16"},
      {"torch.float32",
       {0, int64_t{1} << 62, int64_t{1} << 62},
       "Torch.x.0: input 0: the sizes of the recorded shape overflow, although one is 0; record the dump again"},
      {"torch.float32", {2, -1}, "Torch.x.0: input 0: recorded shape holds -1, expected sizes of 0 or more"},
      {"torch.float32",
       {int64_t{1} << 40, int64_t{1} << 40},
       "Torch.x.0: input 0: out of memory: the recorded shape has more elements than memory can address"},
      {"torch.float32",
       {1000000000000000},
       "Torch.x.0: input 0: out of memory: the recorded shape takes 4000000000000000 bytes; run on a host with more "
       "memory"},
  };
  for (const Row& row : rows) {
    Fixture fixture;
    try {
      fixture.draw(tensor_meta(row.dtype, row.shape, 1.0, 0.0));
      FAIL() << row.message;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), row.message);
    }
  }
}

}  // namespace
}  // namespace msprobe::inputs
