// Infinity and nan on both sides: the table that users were promised, in both profiles.
#include "metrics/status.h"
#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

at::Tensor beside_ones(double x, at::ScalarType type) {
  return tensor({1, x, 1, 1}, type);
}

struct Pair {
  double golden, device;
  bool agrees;
  double rate;             ///< inf/nan错误率, documented
  double mindstudio_rate;  ///< of the one element that is not finite
};

const Pair kPairs[] = {
    {kInf, kInf, true, 0, 0},      {-kInf, -kInf, true, 0, 0},   {kNan, kNan, true, 0, 0},
    {kInf, -kInf, false, 0.25, 1}, {kInf, kNan, false, 0.25, 1}, {kNan, 1, false, 0.25, 1},
    {1, kNan, false, 0.25, 1},     {1, kInf, false, 0.25, 1},    {-kInf, -3.4028234663852886e38, false, 0, 0},
    {kInf, 1, false, 0.25, 0},  // MindStudio divides by the golden's infinity
};

TEST(SpecialValues, AgreeOrNotOneByOne) {
  for (const Pair& p : kPairs) {
    SCOPED_TRACE(std::to_string(p.golden) + " against " + std::to_string(p.device));
    const Row row = compare(beside_ones(p.golden, at::kDouble), beside_ones(p.device, at::kFloat));
    EXPECT_EQ(row.status, p.agrees ? Status::kPass : Status::kError) << row.message;
    EXPECT_EQ(*row[Figure::kInfNanErrorRate], p.rate);
    EXPECT_EQ(*row[Figure::kMaxAbs], p.agrees ? 0 : kInf);
    EXPECT_EQ(*row[Figure::kHundredth], p.agrees ? 1 : 0.75);
    EXPECT_EQ(*row[Figure::kThousandth], p.agrees ? 1 : 0.75);
    EXPECT_EQ(*row[Figure::kTenThousandth], p.agrees ? 1 : 0.75);
    // Of the three ones beside the pair, which are finite on both sides.
    const bool finite_pair = std::isfinite(p.golden) && std::isfinite(p.device);
    if (!finite_pair) {
      EXPECT_DOUBLE_EQ(*row[Figure::kCosine], 1);
    }
    EXPECT_EQ(*row[Figure::kRmse], 0);
    EXPECT_EQ(*row[Figure::kMeanRelative], 0);
    EXPECT_EQ(*row[Figure::kMaxUlp], 0);
    EXPECT_EQ(*row[Figure::kUlpShare], p.agrees ? 0 : 0.25);
    const Row binary = compare(beside_ones(p.golden, at::kDouble), beside_ones(p.device, at::kFloat),
                               context(config::Profile::kDocumented, "relu"));
    EXPECT_EQ(*binary[Figure::kBinaryErrorRate], p.agrees ? 0 : 0.25);
  }
}

TEST(SpecialValues, MindstudioRateIsOfTheElementsThatAreNotFinite) {
  CompareContext c = mindstudio();
  c.float8_inputs = true;  // only then does MindStudio fill this column
  for (const Pair& p : kPairs) {
    SCOPED_TRACE(std::to_string(p.golden) + " against " + std::to_string(p.device));
    const Row row = compare(beside_ones(p.golden, at::kDouble), beside_ones(p.device, at::kFloat), c);
    EXPECT_EQ(*row[Figure::kInfNanErrorRate], p.mindstudio_rate);
    EXPECT_EQ(row[Figure::kRmse], std::nullopt);
    EXPECT_EQ(compare(beside_ones(p.golden, at::kDouble), beside_ones(p.device, at::kFloat),
                      mindstudio())[Figure::kInfNanErrorRate],
              std::nullopt);
  }
}

TEST(SpecialValues, WholeTensorsThatAgree) {
  struct Case {
    const char* name;
    std::vector<double> values;
    const char* message;
  };
  for (const Case& c :
       {Case{"masked_fill", {1, -kInf, 0.5, -kInf}, "最大绝对误差 0 < 0.001"},
        Case{"full_like", {-kInf, -kInf, -kInf}, "最大绝对误差 0 < 0.001; little evidence: all 3 elements are -inf"},
        Case{"softmax", {kNan, kNan}, "最大绝对误差 0 < 0.001; little evidence: all 2 elements are nan"},
        Case{"sqrt", {kNan, 2, kNan, 3}, "最大绝对误差 0 < 0.001"}}) {
    SCOPED_TRACE(c.name);
    const Row row =
        compare(tensor(c.values), tensor(c.values, at::kFloat), context(config::Profile::kDocumented, c.name));
    EXPECT_EQ(row.status, Status::kPass);
    EXPECT_EQ(row.message, c.message);
    EXPECT_EQ(*row[Figure::kMaxAbs], 0);
    EXPECT_EQ(*row[Figure::kInfNanErrorRate], 0);
    EXPECT_EQ(*row[Figure::kHundredth], 1);
    const auto finite = std::count_if(c.values.begin(), c.values.end(), [](double x) { return std::isfinite(x); });
    EXPECT_EQ(std::isnan(*row[Figure::kCosine]), finite < 2);
    if (finite >= 2) {
      EXPECT_DOUBLE_EQ(*row[Figure::kCosine], 1);
    }
  }
}

// The shared infinity of 1000 leaves the others to be judged: 0.4 of the 5 finite ones are near, not 0.997 of all.
TEST(SpecialValues, WhatBothSidesShareHidesNothing) {
  std::vector<double> golden(1000, -kInf), device(1000, -kInf);
  for (int i = 0; i < 5; ++i) golden[i] = i + 1, device[i] = i < 2 ? i + 1 : 1.5 * (i + 1);
  const Row row = compare(tensor(golden), tensor(device, at::kFloat));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(*row[Figure::kThousandth], 0.4);
  // (1, 2, 3, 4, 5) and (1, 2, 4.5, 6, 7.5): 80 / sqrt(55 * 117.5)
  EXPECT_NEAR(*row[Figure::kCosine], 80 / std::sqrt(55 * 117.5), 1e-15);
}

// bfloat16 holds no e^400, so it is inf on both sides; what its square would have hidden are the errors of the others.
TEST(SpecialValues, NoSquareVanishesBesideAHugeOne) {
  std::vector<double> golden;
  for (int i = 1; i <= 7; ++i) golden.push_back(std::exp(i));
  golden.push_back(std::exp(400));
  // torch.tensor([1, 2, 3, 4, 5, 6, 7, 400], dtype=torch.bfloat16).exp()
  const std::vector<double> device = {2.71875, 7.375, 20.125, 54.5, 148, 404, 1096, kInf};
  const Row row = compare(tensor(golden), tensor(device, at::kBFloat16));
  double square = 0;
  for (int i = 0; i < 7; ++i) square += (device[i] - golden[i]) * (device[i] - golden[i]);
  EXPECT_NEAR(*row[Figure::kRmse], std::sqrt(square / 7), 1e-12);
}

TEST(SpecialValues, OverflowIsRightWhereTheDeviceCannotHoldTheGolden) {
  EXPECT_EQ(compare(tensor({1, 70000}), tensor({1, kInf}, at::kHalf)).status, Status::kPass);
  EXPECT_EQ(compare(tensor({1, 65519}), tensor({1, 65504}, at::kHalf)).status, Status::kPass);
  EXPECT_EQ(compare(tensor({1, 65519}), tensor({1, kInf}, at::kHalf)).status, Status::kError);
  EXPECT_EQ(compare(tensor({1, 70000}), tensor({1, 65504}, at::kHalf)).status, Status::kError);
  EXPECT_EQ(compare(tensor({1, 1e39}), tensor({1, kInf}, at::kFloat)).status, Status::kPass);
}

// MindStudio's figures and blanks, but not its false error.
TEST(SpecialValues, WhatAgreesIsNoErrorInProfileMindstudioEither) {
  struct Case {
    const char* what;
    std::vector<double> golden, device;
    at::ScalarType type;
    Status status;
    std::vector<int> filled;
  };
  const Case cases[] = {
      {"beside exact numbers", {1, kInf, 2, 3}, {1, kInf, 2, 3}, at::kHalf, Status::kPass, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"nan, float32", {1, kNan, 2, 3}, {1, kNan, 2, 3}, at::kFloat, Status::kPass, {0, 1, 3, 4, 6, 7, 8, 9, 10}},
      {"beyond the device's range", {1, 70000}, {1, kInf}, at::kHalf, Status::kPass, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"beside a wrong number", {1, kInf, 2, 3}, {1, kInf, 2, 4}, at::kHalf, Status::kError, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"other sign", {1, kInf, 2, 3}, {1, -kInf, 2, 3}, at::kHalf, Status::kError, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"one side only", {1, kInf, 2, 3}, {1, 65504, 2, 3}, at::kHalf, Status::kError, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"one agrees, one does not",
       {kNan, kNan, 2, 3},
       {kNan, 1, 2, 3},
       at::kFloat,
       Status::kError,
       {0, 1, 3, 4, 6, 7, 8, 9, 10}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const Row row = compare(tensor(c.golden, c.type == at::kHalf ? at::kFloat : at::kDouble), tensor(c.device, c.type),
                            mindstudio());
    EXPECT_EQ(row.status, c.status) << row.message;
    EXPECT_EQ(filled(row), c.filled);
    EXPECT_TRUE(std::isnan(*row[Figure::kCosine]));
    EXPECT_FALSE(std::isfinite(*row[Figure::kMaxAbs]));
  }
  // Agreeing elements count in the shares that Status is decided by, not in those that are written.
  at::Tensor golden = at::full({2000}, 3.0), device = golden.to(at::kHalf);
  golden.slice(0, 0, 1000).fill_(kInf);
  device.slice(0, 0, 1000).fill_(kInf);
  device[1999] = 4;
  const Row row = compare(golden, device, mindstudio());
  EXPECT_EQ(*row[Figure::kHundredth], 999.0 / 2000);
  EXPECT_EQ(row[Figure::kThousandth], std::nullopt);
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(
      row.message,
      "双千指标 0.9995 > 0.999; 1000 of 2000 elements the same inf or nan on both sides, which MindStudio msprobe "
      "takes for errors");
}

TEST(SpecialValues, FirstDisagreementIsNamedByItsIndices) {
  at::Tensor b = at::zeros({2, 3}, at::kDouble), d = at::zeros({2, 3});
  b.index_put_({at::tensor(1), at::tensor(2)}, kInf);
  d.index_put_({at::tensor(1), at::tensor(0)}, kNan);
  const char* message = "2 of 6 elements inf or nan on one side only, or of different kind or sign; ";
  EXPECT_EQ(compare(b, d).message, std::string(message) + "first at [1, 0]: golden 0, device nan");
  EXPECT_EQ(compare(b.t(), d.t()).message, std::string(message) + "first at [0, 1]: golden 0, device nan");
  EXPECT_EQ(
      compare(tensor({kInf}).squeeze(), tensor({1}, at::kFloat).squeeze()).message,
      "1 of 1 element inf or nan on one side only, or of different kind or sign; first at []: golden inf, device 1");
}

TEST(SpecialValues, OneNanAmongAMillionIsAnError) {
  at::Tensor b = at::rand({1 << 20}, at::kDouble), d = b.to(at::kFloat);
  d[12345] = kNan;
  const Row row = compare(b, d);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(
      row.message,
      "1 of 1048576 elements inf or nan on one side only, or of different kind or sign; first at [12345]: golden " +
          number_text(b[12345].item<double>()) + ", device nan");
  EXPECT_GT(*row[Figure::kThousandth], 0.999);
}

}  // namespace
}  // namespace msprobe::metrics::test
