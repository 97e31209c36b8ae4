// Every figure of the documented profile against reference.h, on random and on special tensors.
#include <random>

#include "metrics/figures.h"
#include "metrics/kernel.h"
#include "reference.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

/// Sums that are formed in another order differ by rounding; everything else is exact.
bool is_sum(Figure f) {
  return f == Figure::kCosine || f == Figure::kRmse || f == Figure::kMeanRelative || f == Figure::kMeanUlp;
}

void expect_figures(const Row& row, const Figures& expected) {
  for (int i = 0; i < outcome::kFigureCount; ++i) {
    SCOPED_TRACE(outcome::kFigureColumns[i]);
    ASSERT_EQ(row.figures[i].has_value(), expected[i].has_value());
    if (!expected[i]) continue;
    const double value = *row.figures[i], right = *expected[i];
    if (std::isnan(right) || std::isinf(right)) {
      EXPECT_EQ(std::isnan(value), std::isnan(right));
      EXPECT_EQ(std::isinf(value), std::isinf(right)) << value;
    } else if (is_sum(static_cast<Figure>(i))) {
      EXPECT_NEAR(value, right, 4e-15 * std::max(std::abs(right), i == 0 ? 1.0 : 0.0));
    } else {
      EXPECT_EQ(value, right);
    }
  }
}

std::vector<double> values_of(const at::Tensor& t) {
  const at::Tensor d = t.to(at::kDouble).contiguous();
  return {d.const_data_ptr<double>(), d.const_data_ptr<double>() + d.numel()};
}

void check(const at::Tensor& golden, const at::Tensor& device, bool binary = false) {
  const Row row = compare(golden, device, context(config::Profile::kDocumented, binary ? "relu" : "softmax"));
  expect_figures(row, reference(values_of(golden), values_of(device), device.scalar_type(), binary));
}

/// Numbers of all sizes the dtype has, errors of all sizes, and inf and nan on either side with probability `special`.
std::pair<at::Tensor, at::Tensor> random_pair(std::mt19937_64& random, int64_t n, at::ScalarType golden,
                                              at::ScalarType device, double special) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  const int spread = device == at::kFloat || device == at::kBFloat16 || device == at::kDouble ? 40 : 8;
  const double center = std::ldexp(1.0, static_cast<int>(unit(random) * spread) - spread / 2);
  const double noise = std::ldexp(1.0, -static_cast<int>(unit(random) * 30));
  const double wide = unit(random) < 0.5 ? 0 : spread * unit(random);
  const double zeros = unit(random) < 0.3 ? unit(random) : 0;
  std::vector<double> b(n), d(n);
  const double specials[] = {kInf,  -kInf, kNan, 0,   65504, 65519.9, 65520, 70000,  1e39,
                             -1e39, 448,   464,  465, 57344, 61440,   1e-40, 5e-324, 3.5e38};
  for (int64_t i = 0; i < n; ++i) {
    b[i] = unit(random) < zeros ? 0 : normal(random) * center * std::exp2(normal(random) * wide / 4);
    d[i] = b[i] * (1 + noise * normal(random));
    if (unit(random) < special) {
      b[i] = specials[random() % std::size(specials)];
      d[i] = unit(random) < 0.5 ? b[i] : specials[random() % std::size(specials)];
    }
  }
  return {tensor(b, golden), tensor(d, device)};
}

TEST(Figures, RandomTensorsOfEveryPairOfTypes) {
  std::mt19937_64 random(1);
  const at::ScalarType goldens[] = {at::kDouble, at::kDouble, at::kFloat, at::kHalf, at::kBFloat16};
  const at::ScalarType devices[] = {at::kFloat,  at::kHalf,          at::kBFloat16,
                                    at::kDouble, at::kFloat8_e4m3fn, at::kFloat8_e5m2};
  const int64_t sizes[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 300, 2047, 2048, 2049, 5000};
  int round = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (at::ScalarType golden : goldens) {
      for (at::ScalarType device : devices) {
        const int64_t n = sizes[random() % std::size(sizes)];
        const double special = ++round % 3 == 0 ? 0 : round % 3 == 1 ? 0.001 : 0.3;
        SCOPED_TRACE(std::to_string(round) + ": " + std::to_string(n) + " elements, " + c10::toString(device) +
                     " against " + c10::toString(golden));
        const auto [b, d] = random_pair(random, n, golden, device, special);
        check(b, d, round % 2 == 0);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Figures, EveryFloat8AgainstEveryGolden) {
  std::mt19937_64 random(8);
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    const std::string name = c10::toString(type);
    if (name.rfind("Float8_e4m3", 0) != 0 && name.rfind("Float8_e5m2", 0) != 0) continue;  // e8m0 has no zero, no sign
    for (at::ScalarType golden : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
      for (int round = 0; round < 30; ++round) {
        SCOPED_TRACE(name + " against " + c10::toString(golden) + ", round " + std::to_string(round));
        const auto [b, d] = random_pair(random, 1 + random() % 200, golden, type, round % 3 == 0 ? 0.3 : 0);
        check(b, d, round % 2 == 0);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// Counts beyond 32 bits, on tensors that take no memory: all elements are one, or one of two.
TEST(Figures, MoreElementsThan32BitsCount) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "takes minutes with a sanitizer";
#endif
  const int64_t n = (int64_t{1} << 31) + 5;
  const at::Tensor golden = tensor({1, 2}, at::kHalf).unsqueeze(0).expand({n / 2 + 1, 2}),
                   device = tensor({1, 2.5}, at::kHalf).unsqueeze(0).expand({n / 2 + 1, 2});
  ASSERT_GT(golden.numel(), int64_t{1} << 31);
  const Row row = compare(golden, device, context(config::Profile::kDocumented, "relu"));
  EXPECT_EQ(*row[Figure::kBinaryErrorRate], 0.5);
  EXPECT_EQ(*row[Figure::kHundredth], 0.5);
  EXPECT_EQ(*row[Figure::kBalance], 0.5);
  EXPECT_EQ(*row[Figure::kMaxAbs], 0.5);
  EXPECT_NEAR(*row[Figure::kMeanRelative], 0.25 / (2 + 0x1p-23), 1e-15);
  EXPECT_NEAR(*row[Figure::kRmse], std::sqrt(0.125), 1e-15);
  EXPECT_NEAR(*row[Figure::kCosine], 6 / std::sqrt(5 * 7.25), 1e-15);
}

TEST(Figures, ManySmallTensorsOfSpecialValues) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    const at::ScalarType device = std::array{at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}[round % 4];
    SCOPED_TRACE(std::to_string(round) + " " + c10::toString(device));
    const auto [b, d] = random_pair(random, 1 + random() % 12, at::kDouble, device, 0.6);
    check(b, d, round % 2 == 0);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Figures, SeveralPiecesAndARest) {
  std::mt19937_64 random(3);
  const auto [b, d] = random_pair(random, 3 * 65536 + 2048 + 5, at::kDouble, at::kFloat, 0.0001);
  check(b, d);
  const auto [x, y] = random_pair(random, 2 * 65536 + 3, at::kFloat, at::kBFloat16, 0);
  check(x, y);
}

TEST(Figures, RoundingOfTheGoldenIsToNearestEvenInEveryFormat) {
  // Every pattern, both its neighbours' midpoints, and a little beside them: d = the right rounding must count as
  // equal.
  for (at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    SCOPED_TRACE(c10::toString(type));
    const bool wide = c10::elementSize(type) == 2;
    const int patterns = wide ? 65536 : 256, step = wide ? 7 : 1;
    const at::Tensor all = at::arange(patterns, at::kInt).to(wide ? at::kShort : at::kByte).view(type).to(at::kDouble);
    const double* values = all.const_data_ptr<double>();
    std::vector<double> golden;
    for (int i = 0; i + 1 < patterns / 2; i += step) {
      if (!std::isfinite(values[i]) || !std::isfinite(values[i + 1])) continue;
      const double middle = (values[i] + values[i + 1]) / 2;
      for (double x : {values[i], middle, std::nextafter(middle, 0), std::nextafter(middle, kInf)}) {
        golden.push_back(x);
        golden.push_back(-x);
      }
    }
    std::vector<double> device;
    for (double x : golden) device.push_back(cast(x, type));
    const Row row = compare(tensor(golden), tensor(device, type), context(config::Profile::kDocumented, "relu"));
    EXPECT_EQ(row[Figure::kBinaryErrorRate], 0.0);
    EXPECT_EQ(row[Figure::kBalance], 0.0);
  }
}

TEST(Figures, SinglePrecisionRoundingEqualsTheCpus) {
  std::mt19937_64 random(4);
  std::vector<double> golden;
  std::vector<float> device;
  for (int i = 0; i < 20000; ++i) {
    const int64_t bits = static_cast<int64_t>(random());
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (i % 4 == 0)
      x = std::ldexp(1 + static_cast<double>(random() % 1024) / 1024, -149 + static_cast<int>(random() % 30));
    if (i % 4 == 1)
      x = std::ldexp(static_cast<double>((random() & 0x1FFFFFF) | 1), static_cast<int>(random() % 200) - 120);
    if (std::isnan(x)) continue;
    golden.push_back(x);
    device.push_back(static_cast<float>(x));
  }
  const Row row = compare(tensor(golden), at::tensor(device), context(config::Profile::kDocumented, "relu"));
  EXPECT_EQ(row[Figure::kBinaryErrorRate], 0.0);
  EXPECT_EQ(row[Figure::kInfNanErrorRate], 0.0);
}

TEST(Figures, SquaresOfHugeAndTinyDoublesDoNotSpoilTheCosine) {
  for (double scale : {1e-300, 1e-200, 1e-160, 1e-100, 1.0, 1e100, 1e160, 1e200, 1e300}) {
    SCOPED_TRACE(scale);
    const std::vector<double> b{3 * scale, 4 * scale, 0, 1 * scale}, d{3 * scale, 4 * scale, 0, -1 * scale};
    const Row row = compare(tensor(b), tensor(d));
    EXPECT_NEAR(*row[Figure::kCosine], 24.0 / 26.0, 1e-15);
    // The error is 2 scale in one of three normal elements; all are small where scale is.
    const double rmse = scale >= 1 ? 2 / std::sqrt(3.0) : 0;
    EXPECT_NEAR(*row[Figure::kRmse] / scale, rmse, 1e-15);
  }
}

TEST(Figures, ScalesOfDifferentBlocksMix) {
  // One block is of ordinary size, another needs scaling: the sum must hold both.
  at::Tensor b = at::ones({4096}, at::kDouble), d = at::ones({4096}, at::kDouble);
  b.slice(0, 2048).mul_(1e-200);
  d.slice(0, 2048).mul_(1e-200);
  EXPECT_NEAR(*compare(b, d)[Figure::kCosine], 1.0, 1e-15);
  b.slice(0, 2048).mul_(1e200).mul_(1e200);
  d.slice(0, 2048).mul_(1e200).mul_(-1e200);
  EXPECT_NEAR(*compare(b, d)[Figure::kCosine], -1.0, 1e-15);
}

TEST(Figures, MeanRelativeErrorIsFiniteWhereItsSumIsNot) {
  constexpr double kMost = std::numeric_limits<double>::max();
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  // Within a block, over several blocks and pieces, and with a rest that is no multiple of 8.
  for (const int64_t n : {1003, 5000, 200'003}) {
    for (const double size : {1e305, 1e307, kMost}) {
      SCOPED_TRACE(testing::Message() << n << " elements up to " << size);
      std::vector<double> b(n), d(n);
      long double sum = 0, most = 0, normal = 0;
      for (int64_t i = 0; i < n; ++i) {
        // Golden numbers of ordinary size or as large as the device's.
        b[i] = unit(random) * (i % 3 ? 2 : size);
        d[i] = unit(random) * size;
        if (std::abs(b[i]) <= 0x1p-14) b[i] = 1;  // at any dtype's small value or above
        const long double re = std::fabs(static_cast<long double>(d[i]) - b[i]) /
                               (std::fabs(static_cast<long double>(b[i])) + std::numeric_limits<double>::epsilon());
        ++normal, sum += re, most = std::max(most, re);
      }
      const Row row = compare(tensor(b), tensor(d));
      const long double mean = sum / normal;
      if (mean > kMost) {
        EXPECT_EQ(*row[Figure::kMeanRelative], kInf);
      } else {
        EXPECT_NEAR(*row[Figure::kMeanRelative] / static_cast<double>(mean), 1.0, 1e-13);
      }
      if (most > kMost) {
        EXPECT_EQ(*row[Figure::kMaxRelative], kInf);
      } else {
        EXPECT_NEAR(*row[Figure::kMaxRelative] / static_cast<double>(most), 1.0, 1e-15);
      }
    }
  }
  // The difference overflows, the relative error is 2.
  const Row opposite = compare(tensor({kMost, 1, -kMost}), tensor({-kMost, 1, kMost}));
  EXPECT_EQ(*opposite[Figure::kMaxRelative], 2.0);
  EXPECT_NEAR(*opposite[Figure::kMeanRelative], 4.0 / 3, 1e-15);
  EXPECT_EQ(*opposite[Figure::kMaxAbs], kInf);
}

TEST(Figures, LayoutsOfAllKindsGiveTheSameFigures) {
  std::mt19937_64 random(5);
  const auto [b0, d0] = random_pair(random, 2 * 3 * 40 * 50, at::kDouble, at::kFloat, 0.01);
  const at::Tensor b = b0.view({2, 3, 40, 50}), d = d0.view({2, 3, 40, 50});
  const Figures expected = reference(values_of(b), values_of(d), at::kFloat, false);
  const auto same = [&](const char* what, const at::Tensor& golden, const at::Tensor& device) {
    SCOPED_TRACE(what);
    expect_figures(compare(golden, device), expected);
  };
  same("dense", b, d);
  same("channels last", b.contiguous(at::MemoryFormat::ChannelsLast), d.contiguous(at::MemoryFormat::ChannelsLast));
  same("one side channels last", b.contiguous(at::MemoryFormat::ChannelsLast), d);
  same("permuted", b.permute({3, 1, 0, 2}), d.permute({3, 1, 0, 2}));
  same("one side permuted in memory", b.permute({3, 1, 0, 2}).contiguous().permute({2, 1, 3, 0}), d);
  const at::Tensor wide_b = at::zeros({2, 3, 40, 100}, at::kDouble), wide_d = at::zeros({2, 3, 40, 100}, at::kFloat);
  wide_b.slice(3, 0, 100, 2).copy_(b);
  wide_d.slice(3, 1, 100, 2).copy_(d);
  same("every other element", wide_b.slice(3, 0, 100, 2), wide_d.slice(3, 1, 100, 2));
  same("flipped batch", b.flip(0).flip(0), d);
}

TEST(Figures, ExpandedTensorsCountEveryElement) {
  const at::Tensor b = tensor({1, 2, 3}).unsqueeze(1).expand({3, 1000}),
                   d = tensor({1, 2.5, 3}, at::kFloat).unsqueeze(1).expand({3, 1000});
  check(b, d);
}

TEST(Figures, LazyNegationAndConjugationAreSeen) {
  const at::Tensor b = tensor({1, -2, 3, 4}), d = tensor({1, -2, 3, 4}, at::kFloat);
  expect_same(compare(b.neg(), at::_neg_view(d)), compare(b.neg(), d.neg()));
  const at::Tensor c = at::complex(tensor({1, 2}), tensor({3, -4}));
  EXPECT_EQ(compare(at::conj(c), at::conj(c).resolve_conj()).status, Status::kPass);
  EXPECT_EQ(compare(at::conj(c), c).status, Status::kError);
}

TEST(Figures, SameBitsWhateverTheNumberOfThreads) {
  std::mt19937_64 random(6);
  const int threads = at::get_num_threads();
  for (at::ScalarType type : {at::kFloat, at::kHalf, at::kDouble}) {
    const auto [b, d] = random_pair(random, 9 * 65536 + 77, at::kDouble, type, 0.001);
    for (const auto profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
      at::set_num_threads(1);
      const Row one = compare(b, d, context(profile));
      for (int count : {2, 3, 8}) {
        at::set_num_threads(count);
        SCOPED_TRACE(std::to_string(count) + " threads");
        expect_same(compare(b, d, context(profile)), one);
      }
    }
  }
  at::set_num_threads(threads);
}

TEST(Figures, ComplexNumbersByModulus) {
  for (at::ScalarType type : {at::kComplexFloat, at::kComplexDouble}) {
    SCOPED_TRACE(c10::toString(type));
    const at::Tensor b = at::complex(tensor({3, 0, 0, 1}), tensor({4, 0, 1, 0}));
    const at::Tensor d = at::complex(tensor({3, 0, 0, 1}), tensor({4.5, 0, 1, 0.25})).to(type);
    const Row row = compare(b, d);
    EXPECT_EQ(*row[Figure::kMaxAbs], 0.5);
    EXPECT_EQ(*row[Figure::kHundredth], 0.5);
    EXPECT_EQ(*row[Figure::kMaxRelative], 0.25 / (1 + std::ldexp(1.0, -52)));
    EXPECT_NEAR(*row[Figure::kMeanRelative], (0.1 + 0 + 0.25) / 3, 1e-15);
    EXPECT_NEAR(*row[Figure::kRmse], std::sqrt((0.25 + 0 + 0.0625) / 3), 1e-15);
    EXPECT_NEAR(*row[Figure::kCosine], (9 + 18 + 1 + 1) / (std::sqrt(27.0) * std::sqrt(9 + 20.25 + 1 + 1 + 0.0625)),
                1e-15);
    EXPECT_EQ(row[Figure::kBalance], std::nullopt);
    EXPECT_EQ(row[Figure::kMaxUlp], std::nullopt);
    EXPECT_EQ(row.status, Status::kError);
    EXPECT_EQ(row.bench_dtype, "torch.complex128");
  }
}

TEST(Figures, RandomComplexTensorsByModulus) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (at::ScalarType type : {at::kComplexFloat, at::kComplexDouble}) {
    for (int round = 0; round < 300; ++round) {
      const int64_t n = 2 + static_cast<int64_t>(random() % 200);
      const double noise = std::ldexp(1.0, -static_cast<int>(random() % 24)),
                   scale = std::ldexp(1.0, int(random() % 40) - 20);
      std::vector<double> br(n), bi(n), dr(n), di(n);
      for (int64_t i = 0; i < n; ++i) {
        br[i] = random() % 5 == 0 ? 0 : normal(random) * scale;
        bi[i] = random() % 5 == 0 ? 0 : normal(random) * scale;
        dr[i] = br[i] + noise * normal(random) * scale;
        di[i] = bi[i] + noise * normal(random) * scale;
        if (type == at::kComplexFloat) dr[i] = float(dr[i]), di[i] = float(di[i]);
      }
      const Row row = compare(at::complex(tensor(br), tensor(bi)), at::complex(tensor(dr), tensor(di)).to(type));
      SCOPED_TRACE(row.message);
      long double largest = 0, dot = 0, bb = 0, dd = 0, b_max = 0, d_max = 0;
      for (int64_t i = 0; i < n; ++i) {
        largest =
            std::max(largest, hypotl(static_cast<long double>(dr[i]) - br[i], static_cast<long double>(di[i]) - bi[i]));
        for (const auto& [b, d] : {std::pair(br[i], dr[i]), std::pair(bi[i], di[i])}) {
          dot += static_cast<long double>(b) * d;
          bb += static_cast<long double>(b) * b;
          dd += static_cast<long double>(d) * d;
        }
        b_max = std::max(b_max, hypotl(br[i], bi[i]));
        d_max = std::max(d_max, hypotl(dr[i], di[i]));
      }
      EXPECT_NEAR(*row[Figure::kMaxAbs], largest, 1e-14 * scale + 1e-12 * static_cast<double>(largest));
      if (b_max > 0 && d_max > 0) {
        EXPECT_NEAR(*row[Figure::kCosine], dot / (sqrtl(bb) * sqrtl(dd)), 1e-13);
      }
    }
  }
}

TEST(Figures, ComplexSpecialValuesAgreeComponentByComponent) {
  const auto complex = [](double re, double im) { return at::complex(tensor({1, re}), tensor({0, im})); };
  struct Case {
    double golden[2], device[2];
    bool agrees;
  };
  for (const Case& c :
       {Case{{kInf, 1}, {kInf, 1}, true}, Case{{kInf, 1}, {-kInf, 1}, false}, Case{{kNan, 1}, {kNan, 2}, true},
        Case{{kNan, 1}, {1, kNan}, false}, Case{{1, 1}, {1, kInf}, false}}) {
    const Row row = compare(complex(c.golden[0], c.golden[1]), complex(c.device[0], c.device[1]).to(at::kComplexFloat));
    SCOPED_TRACE(row.message);
    EXPECT_EQ(row.status, c.agrees ? Status::kPass : Status::kError);
    EXPECT_EQ(*row[Figure::kMaxAbs], c.agrees ? 0 : kInf);
    EXPECT_EQ(*row[Figure::kInfNanErrorRate], c.agrees ? 0 : 0.5);
  }
}

// The example of docs/figures.md; exact fractions worked out by hand, roots to ten digits.
TEST(Figures, WorkedExample) {
  const at::Tensor golden = tensor({1, -2, 0x1p-12, 4, 0.5});
  const at::Tensor device = tensor({1, -2.03125, 0x1p-12 + 0x1p-15, 4, 0.50048828125}, at::kHalf);
  const Row row = compare(golden, device, context(config::Profile::kDocumented, "relu"));
  const std::pair<Figure, double> expected[] = {
      {Figure::kCosine, 0.9999814856},
      {Figure::kMaxAbs, 0.03125},
      {Figure::kHundredth, 0.6},
      {Figure::kThousandth, 0.6},
      {Figure::kTenThousandth, 0.4},
      {Figure::kBinaryErrorRate, 0.6},
      {Figure::kBalance, 0.2},
      {Figure::kRmse, 0.0156269072},
      {Figure::kSmallValueErrorRate, 1},
      {Figure::kMaxRelative, 0.0156249991},
      {Figure::kMeanRelative, 0.0041503903},
      {Figure::kInfNanErrorRate, 0},
      {Figure::kRelativeErrorRate, 0.25},
      {Figure::kAbsoluteErrorRate, 1},
      {Figure::kMaxUlp, 128},
      {Figure::kMeanUlp, 29},
      {Figure::kUlpShare, 0.4},
  };
  for (const auto& [figure, value] : expected) EXPECT_NEAR(*row[figure], value, 5e-11) << static_cast<int>(figure);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "双百指标 0.6 <= 0.99");
}

TEST(Figures, TableIsInTheOrderOfTheColumns) {
  for (int i = 0; i < outcome::kFigureCount; ++i) EXPECT_EQ(static_cast<int>(kFigures[i].figure), i);
}

TEST(Figures, DoublesThatPrintAsNumpysFloat32) {
  EXPECT_EQ(as_numpy_prints(0.1f), 0.1);
  EXPECT_EQ(as_numpy_prints(1.1683005e-07f), 1.1683005e-07);
  EXPECT_EQ(as_numpy_prints(0.0f), 0.0);
  EXPECT_EQ(as_numpy_prints(kInf), kInf);
  EXPECT_TRUE(std::isnan(as_numpy_prints(kNan)));
}

}  // namespace
}  // namespace msprobe::metrics::test
