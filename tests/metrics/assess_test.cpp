// The rule of docs/verdicts.md: errors against values computed by hand, and every word with what leads to it.
#include "metrics/assess.h"

#include <ATen/ATen.h>

#include "metrics/as_good.h"
#include "metrics/errors.h"
#include "metrics/evidence.h"
#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Assessment;
using outcome::Row;
using outcome::Status;

Measured measured(const at::Tensor& golden, const at::Tensor& device, double floor) {
  const PairView view(golden, device, PairView::Order::kMemory);
  const Dtype& d = dtype_of(device.scalar_type());
  return measure(view, dtype_of(golden.scalar_type()), d, d.format,
                 {golden.abs().to(at::kDouble).max().item<double>(), floor});
}

// b = 1, 2, -4, 0.001, 0, inf; d of bfloat16, whose unit in the last place is 2^-7 of a power of two.
TEST(Errors, OfSixElementsByHand) {
  const at::Tensor golden = tensor({1.001, 2, -4, 0.001, 0, kInf});
  const at::Tensor device = tensor({1.0078125, 0, -4, 0.001, 0.5, kInf}, at::kBFloat16);
  const double small = device[3].item<double>();  // 0.001 rounded: 0.00099945068359375
  EXPECT_EQ(small, 0.00099945068359375);
  const Measured m = measured(golden, device, 0.01);
  EXPECT_EQ(m.elements, 6);
  const double errors[] = {1.0078125 - 1.001, 2, 0, 0.001 - small, 0.5};
  double square = 0;
  for (const double e : errors) square += e * e;
  EXPECT_DOUBLE_EQ(m.device.errors.rms, std::sqrt(square / 5));
  EXPECT_DOUBLE_EQ(m.device.errors.max_relative, 1);
  EXPECT_DOUBLE_EQ(m.device.errors.mean_relative, (errors[0] / 1.001 + 1 + 0) / 3);
  EXPECT_EQ(m.device.errors.max_abs, 2);
  EXPECT_EQ(m.device.max_small, 0.5);
  EXPECT_EQ(m.device.errors.zeros, 1);
  EXPECT_EQ(m.device.errors.special, 0);
  // Rounded: 1.001 is 1, the others stay but for 0.001.
  EXPECT_DOUBLE_EQ(m.rounded.errors.max_abs, 1.001 - 1);
  EXPECT_NEAR(m.rounded.errors.rms, std::sqrt((0.001 * 0.001 + (0.001 - small) * (0.001 - small)) / 5), 1e-15);
  EXPECT_NEAR(m.rounded.errors.max_relative, 0.001 / 1.001, 1e-15);
}

TEST(Errors, InfAndNanOnOneSideAreCountedApart) {
  const Measured m = measured(tensor({1, kNan, 70000, 70000, 2}), tensor({kInf, kNan, kInf, 65504, 2}, at::kHalf), 0.1);
  EXPECT_EQ(m.device.errors.special, 2);  // inf for 1; 65504 for what float16 has no number for
  EXPECT_EQ(m.device.errors.max_abs, 0);
}

TEST(Errors, HugeAndTinyDoublesKeepTheirSquares) {
  for (const double size : {1e-300, 1e300}) {
    const Measured m = measured(tensor({size, 2 * size}), tensor({1.5 * size, 2 * size}), size / 1000);
    EXPECT_NEAR(m.device.errors.rms / size, 0.5 / std::sqrt(2.0), 1e-12);
    EXPECT_DOUBLE_EQ(m.device.errors.max_relative, 0.5);
  }
}

TEST(Errors, ComplexNumbersByTheirModulus) {
  const at::Tensor golden = at::complex(tensor({3, 0}), tensor({4, 1}));
  const at::Tensor device = at::complex(tensor({3, 0.6}), tensor({4, 1.8})).to(at::kComplexFloat);
  const Measured m = measured(golden, device, 0.1);
  EXPECT_NEAR(m.device.errors.max_abs, 1, 1e-7);
  EXPECT_NEAR(m.device.errors.mean_relative, 0.5, 1e-7);
}

TEST(Errors, TheSameOfEveryKernelAndLength) {
  at::manual_seed(5);
  for (const int64_t n : {1, 7, 8, 9, 2049, 70001}) {
    const at::Tensor golden = at::randn({n}, at::kDouble);
    const at::Tensor device = golden.to(at::kFloat) * (1 + at::randn({n}, at::kFloat) * 1e-6);
    const Measured m = measured(golden, device, 0.001);
    const at::Tensor ae = (device.to(at::kDouble) - golden).abs(), normal = golden.abs().ge(0.001);
    EXPECT_NEAR(m.device.errors.rms, ae.square().mean().sqrt().item<double>(), 1e-20 + 1e-12 * m.device.errors.rms);
    EXPECT_EQ(m.device.errors.max_abs, ae.max().item<double>());
    const at::Tensor re = (ae / golden.abs()).index({normal});
    if (re.numel() > 0) {
      EXPECT_EQ(m.device.errors.max_relative, re.max().item<double>());
    }
    const at::Tensor rounded = (golden.to(at::kFloat).to(at::kDouble) - golden).abs();
    EXPECT_EQ(m.rounded.errors.max_abs, rounded.max().item<double>());
  }
}

Measure errors(double rms, double relative, double mean, double most) {
  Measure m;
  m.errors = {rms, relative, mean, most, 0, 0};
  return m;
}

// 2, 20, 3 and 6 times, each times 1 + 4 / sqrt(16) = 2.
TEST(AsGood, EachFigureHasItsLimit) {
  const config::AssessmentLimits& limits = standards().assessment;
  const Measure y = errors(1, 1, 1, 1);
  const auto quotient = [&](const Measure& x) { return excess(x, y, {0, 0, 0, 16}, true, limits); };
  EXPECT_TRUE(as_good(quotient(errors(4, 40, 6, 12))));
  EXPECT_EQ(quotient(errors(4.4, 1, 1, 1)).figure, "root mean square error");
  EXPECT_DOUBLE_EQ(quotient(errors(4.4, 1, 1, 1)).quotient, 1.1);
  EXPECT_DOUBLE_EQ(quotient(errors(4.4, 1, 1, 1)).times, 4.4);
  EXPECT_EQ(quotient(errors(1, 41, 1, 1)).figure, "largest relative error");
  EXPECT_EQ(quotient(errors(1, 1, 7, 1)).figure, "mean relative error");
  EXPECT_EQ(quotient(errors(1, 1, 1, 13)).figure, "largest absolute error");
}

TEST(AsGood, OneUnitInTheLastPlaceIsAlwaysGood) {
  const config::AssessmentLimits& limits = standards().assessment;
  Measure x = errors(1, 0x1p-7, 0x1p-7, 1);
  EXPECT_TRUE(as_good(excess(x, errors(0, 0, 0, 0), {0x1p-7, 0, 0.5, 100}, true, limits)));
  EXPECT_TRUE(std::isinf(excess(x, errors(0, 0, 0, 0), {0x1p-8, 0, 0.5, 100}, true, limits).quotient));
  x.max_small = 0.01;  // beyond what an element at the floor may have
  EXPECT_FALSE(as_good(excess(x, errors(0, 0, 0, 0), {0x1p-7, 0, 0.5, 100}, true, limits)));
}

// Two approximations of one function: 3 times the other's error is no fault where it is below the format's own beside
// the output as a whole. 8 units in the last place of every element are one.
TEST(AsGood, ErrorsOfTheFormatAreGoodForTheOutputAsAWhole) {
  const config::AssessmentLimits& limits = standards().assessment;
  const double ulp = 0x1p-23;
  const Measure y = errors(0.2 * ulp, 1e-6, 1e-7, ulp);
  const Scale scale{ulp, 1, 0.001, 1000};
  EXPECT_TRUE(as_good(excess(errors(0.6 * ulp, 3e-4, 1e-6, 7 * ulp), y, scale, true, limits)));
  EXPECT_FALSE(as_good(excess(errors(0.6 * ulp, 3e-4, 1e-6, 17 * ulp), y, scale, true, limits)));
  EXPECT_FALSE(as_good(excess(errors(8 * ulp, 8 * ulp, 8 * ulp, 8 * ulp), y, scale, true, limits)));
  const Scale half{0x1p-10, 1, 0.001, 1000};
  EXPECT_FALSE(as_good(excess(errors(0.6 * half.ulp, 0.01, 0.001, 7 * half.ulp),
                              errors(0.2 * half.ulp, 1e-4, 1e-5, half.ulp), half, true, limits)));
}

TEST(AsGood, ZerosMayBeOneInAThousandMoreThanTheYardsticks) {
  const config::AssessmentLimits& limits = standards().assessment;
  Measure x, y;
  x.errors.zeros = 12;
  y.errors.zeros = 2;
  EXPECT_TRUE(as_good(excess(x, y, {0, 0, 0, 10000}, true, limits)));
  x.errors.zeros = 13;
  EXPECT_FALSE(as_good(excess(x, y, {0, 0, 0, 10000}, true, limits)));
  EXPECT_FALSE(as_good(excess(x, y, {0, 0, 0, 10000}, false, limits)));
}

// ---- words

CompareContext assessing() {
  CompareContext c = context();
  c.assess = true;
  return c;
}

CompareContext beside(const at::Tensor& second) {
  CompareContext c = assessing();
  c.second = [second](size_t k) -> std::optional<Second> {
    if (k > 0) return std::nullopt;
    return Second{second, false, false, 1, "float32 arithmetic", ""};
  };
  return c;
}

at::Tensor ramp(double scale) {
  return (at::arange(1, 1001, at::kDouble) * 0.7310585786300049 + 0.1) * scale;
}

TEST(Words, FineIsSilent) {
  const at::Tensor golden = ramp(1);
  const Row row = compare(golden, golden.to(at::kFloat), assessing());
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.assessed.word, Assessment::kFine);
  EXPECT_EQ(row.assessed.clause, "");
  EXPECT_FALSE(row.assessed.evidence);
}

// bfloat16 holds 8 bits, so most elements are off by more than a thousandth, however they are computed.
TEST(Words, RoundingNamesTheFigureOfTheGoldenRounded) {
  const at::Tensor golden = ramp(1);
  const Row row = compare(golden, golden.to(at::kBFloat16), assessing());
  EXPECT_EQ(row.status, Status::kWarning);
  EXPECT_EQ(row.assessed.word, Assessment::kRounding);
  const at::Tensor re = (golden.to(at::kBFloat16).to(at::kDouble) - golden).abs() / (golden + 0x1p-7);
  const double share = re.lt(0.001).to(at::kDouble).mean().item<double>();
  EXPECT_EQ(row.assessed.clause, "rounding to torch.bfloat16 alone: the golden rounded gives 双千指标 " +
                                     std::to_string(share).substr(0, 5) + " too");
  ASSERT_TRUE(row.assessed.evidence);
  EXPECT_EQ(row.assessed.evidence->bad, 0);
}

TEST(Words, ArithmeticIsAsTheCpu) {
  const at::Tensor golden = ramp(1), noise = at::sin(at::arange(1000, at::kDouble)) * 0.02;
  const at::Tensor device = (golden * (1 + noise)).to(at::kBFloat16);
  EXPECT_EQ(compare(golden, device, assessing()).assessed.word, Assessment::kSuspect);
  const Row row = compare(golden, device, beside((golden * (1 - noise)).to(at::kFloat)));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.assessed.word, Assessment::kArithmetic);
  EXPECT_EQ(row.assessed.clause, "as the CPU in float32 arithmetic");
}

// A half type's own arithmetic is a witness while it is one of the function at all.
TEST(Words, AWitnessThatIsFarOffExcusesNothing) {
  const at::Tensor golden = ramp(1), noise = at::sin(at::arange(1000, at::kDouble));
  const auto with = [&](double error) {
    const at::Tensor device = (golden * (1 + error * noise)).to(at::kBFloat16);
    CompareContext c = assessing();
    c.second = [device](size_t k) -> std::optional<Second> {
      if (k > 0) return std::nullopt;
      return Second{device, true, true, 1, "bfloat16 arithmetic", ""};
    };
    return compare(golden, device, c).assessed.word;
  };
  EXPECT_EQ(with(0.3), Assessment::kArithmetic);  // 0.3 / sqrt(2) of the golden
  EXPECT_EQ(with(0.9), Assessment::kSuspect);
}

// Every element below 5e-4: twice too large passes by 最大绝对误差.
TEST(Words, APassMayBeASuspect) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}) {
    SCOPED_TRACE(c10::toString(type));
    const at::Tensor golden = ramp(6e-7);
    const Row row = compare(golden, (golden * 2).to(type), beside(golden.to(at::kFloat)));
    EXPECT_EQ(row.status, Status::kPass);
    EXPECT_EQ(row.assessed.word, Assessment::kSuspect);
    EXPECT_GT(row.assessed.severity, 1);
    EXPECT_TRUE(row.assessed.clause.starts_with("suspect: ")) << row.assessed.clause;
    EXPECT_GT(row.assessed.evidence->bad, type == at::kHalf ? 0 : 990);
  }
}

TEST(Words, WithoutAYardstickAPassProvesLittle) {
  const at::Tensor golden = ramp(6e-7);
  const Row row = compare(golden, (golden * (1 + 1e-6)).to(at::kFloat), assessing());
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.assessed.word, Assessment::kUnproven);
  EXPECT_EQ(row.assessed.clause, "little evidence: no yardstick beyond the golden rounded");
}

// A gradient through weights of 1e-9 is as small as the rounding of its output gradients, and no rounding error at all.
TEST(Words, ASmallGradientThatTheCpuGetsRightDoesNotCancel) {
  const at::Tensor golden = ramp(1e-12), noise = at::sin(at::arange(1000, at::kDouble)) * 1e-9;
  CompareContext exact = beside(golden.to(at::kFloat)), hidden = beside((golden + noise).to(at::kFloat));
  exact.cancels = hidden.cancels = [](const at::Tensor&, const at::Tensor&) { return std::string(": at most 7e-10"); };
  const at::Tensor twice = (golden * 2).to(at::kFloat);
  EXPECT_EQ(compare(golden, twice, exact).assessed.word, Assessment::kSuspect);
  EXPECT_EQ(compare(golden, golden.to(at::kFloat), exact).assessed.word, Assessment::kFine);
  const Row row = compare(golden, twice, hidden);
  EXPECT_EQ(row.assessed.word, Assessment::kUnproven);
  EXPECT_EQ(row.assessed.clause, "little evidence: the golden is all but 0: at most 7e-10");
  CompareContext alone = assessing();
  alone.cancels = exact.cancels;
  EXPECT_EQ(compare(golden, twice, alone).assessed.word, Assessment::kUnproven);
}

TEST(Words, NothingCouldHaveFailed) {
  const Row zeros = compare(at::zeros({100}, at::kDouble), at::zeros({100}, at::kFloat), assessing());
  EXPECT_EQ(zeros.assessed.word, Assessment::kUnproven);
  EXPECT_EQ(zeros.assessed.clause, "little evidence: all 100 elements are 0");
  const Row one = compare(tensor({0.5}), tensor({0.5}, at::kFloat), assessing());
  EXPECT_EQ(one.assessed.clause, "little evidence: 1 element");
  // A golden of zeros is no excuse for what is none.
  const Row wrong =
      compare(at::zeros({100}, at::kDouble), at::full({100}, 1e-4, at::kFloat), beside(at::zeros({100}, at::kFloat)));
  EXPECT_EQ(wrong.assessed.word, Assessment::kSuspect);
}

TEST(Words, KindsAreTheWorst) {
  const Row shape = compare(ramp(1), ramp(1).slice(0, 1).to(at::kFloat), assessing());
  EXPECT_EQ(shape.assessed.clause, "suspect: another shape");
  EXPECT_TRUE(std::isinf(shape.assessed.severity));
  const Row kind = compare(ramp(1), ramp(1).to(at::kLong), assessing());
  EXPECT_EQ(kind.assessed.clause, "suspect: another kind of dtype");
}

TEST(Words, InfOnOneSideAlone) {
  const at::Tensor golden = ramp(1);
  at::Tensor device = golden.to(at::kFloat);
  device[17] = kInf;
  const Row row = compare(golden, device, beside(golden.to(at::kFloat)));
  EXPECT_EQ(row.assessed.clause, "suspect: 1 of 1000 elements inf or nan on one side alone");
  EXPECT_TRUE(std::isinf(row.assessed.severity));
  EXPECT_EQ(row.assessed.evidence->worst[0].index, std::vector<int64_t>{17});
  EXPECT_EQ(row.assessed.evidence->ulp_histogram[23], 1);
  // Where the CPU overflows too, it is the arithmetic.
  EXPECT_EQ(compare(golden, device, beside(device)).assessed.word, Assessment::kArithmetic);
}

TEST(Words, ATailThatNobodyWrote) {
  const at::Tensor golden = ramp(6e-7);
  at::Tensor device = golden.to(at::kFloat);
  device.slice(0, 990).zero_();
  const Row row = compare(golden, device, beside(golden.to(at::kFloat)));
  EXPECT_GT(*row[outcome::Figure::kCosine], 0.98);
  EXPECT_EQ(row.assessed.word, Assessment::kSuspect);
  const auto& along = row.assessed.evidence->along.at(0);
  ASSERT_EQ(along.size(), 64u);
  EXPECT_EQ(along.front(), 0);
  EXPECT_GT(along.back(), 0.6f);  // 10 of the last 15 or 16
}

TEST(Words, ADoubleIsMeasuredByAFloatCallScaled) {
  const at::Tensor golden = ramp(1), device = golden * (1 + 4 * 0x1p-52);
  CompareContext c = assessing();
  const at::Tensor single = (golden * (1 + 4 * 0x1p-23)).to(at::kFloat);
  c.second = [&](size_t k) -> std::optional<Second> {
    if (k > 0) return std::nullopt;
    return Second{single, false, false, 0x1p-29, "float32 arithmetic, scaled to float64", ""};
  };
  EXPECT_EQ(compare(golden, device, c).assessed.word, Assessment::kFine);
  EXPECT_EQ(compare(golden, golden * (1 + 1000 * 0x1p-52), c).assessed.word, Assessment::kSuspect);
}

TEST(Words, IntegersAreEqualOrAsOftenUnequalAsTheCpus) {
  const at::Tensor golden = at::arange(100, at::kLong);
  at::Tensor device = golden.clone(), second = golden.clone();
  device[3] = 4, second[5] = 6;
  const Row suspect = compare(golden, device, beside(golden));
  EXPECT_EQ(suspect.assessed.clause, "suspect: 1 of 100 elements differ, of the CPU in float32 arithmetic 0");
  ASSERT_TRUE(suspect.assessed.evidence);
  EXPECT_EQ(suspect.assessed.evidence->bad, 1);
  EXPECT_EQ(suspect.assessed.evidence->worst[0].index, std::vector<int64_t>{3});
  EXPECT_EQ(suspect.assessed.evidence->worst[0].device, 4);
  EXPECT_EQ(compare(golden, device, beside(second)).assessed.word, Assessment::kArithmetic);
  EXPECT_EQ(compare(golden, golden, beside(golden)).assessed.word, Assessment::kFine);
}

TEST(Words, ProfileMindstudioIsAssessedWhereItIsAsked) {
  CompareContext c = mindstudio();
  const at::Tensor golden = ramp(6e-7).to(at::kDouble);
  EXPECT_EQ(compare(golden, (golden * 2).to(at::kFloat), c).assessed.word, Assessment::kNone);
  c.assess = true;
  c.second = beside(golden.to(at::kFloat)).second;
  EXPECT_EQ(compare(golden, (golden * 2).to(at::kFloat), c).assessed.word, Assessment::kSuspect);
}

// ---- where the errors lie

TEST(Evidence, ByHand) {
  const at::Tensor golden = at::full({4, 6}, 1.0, at::kDouble);
  at::Tensor device = golden.to(at::kFloat);
  device[1][2] = 1 + 3 * 0x1p-23;
  device[3][2] = kNan;
  device[0][0] = 1 + 0x1p-23;  // one unit in the last place
  const outcome::Evidence e = find_evidence(golden, device, dtype_of(at::kFloat).format, 0);
  EXPECT_EQ(e.shape, (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(e.elements, 24);
  EXPECT_EQ(e.bad, 2);
  ASSERT_EQ(e.worst.size(), 3u);
  EXPECT_EQ(e.worst[0].index, (std::vector<int64_t>{3, 2}));
  EXPECT_TRUE(std::isnan(e.worst[0].device));
  EXPECT_EQ(e.worst[1].index, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(e.worst[1].ulp, 3);
  EXPECT_EQ(e.ulp_histogram[0], 21);
  EXPECT_EQ(e.ulp_histogram[2], 1);  // up to 1
  EXPECT_EQ(e.ulp_histogram[4], 1);  // up to 4
  EXPECT_EQ(e.ulp_histogram[23], 1);
  EXPECT_EQ(e.along[0], (std::vector<float>{0, 1.0f / 6, 0, 1.0f / 6}));
  EXPECT_EQ(e.along[1], (std::vector<float>{0, 0, 0.5f, 0, 0, 0}));
}

TEST(Evidence, TheSameWhateverTheThreads) {
  at::manual_seed(7);
  const at::Tensor golden = at::randn({300, 1000}, at::kDouble);
  const at::Tensor device = (golden + at::randn({300, 1000}, at::kDouble) * 1e-5).to(at::kFloat);
  const int threads = at::get_num_threads();
  std::vector<outcome::Evidence> found;
  for (const int n : {1, 4}) {
    at::set_num_threads(n);
    found.push_back(find_evidence(golden, device, dtype_of(at::kFloat).format, 2e-5));
  }
  at::set_num_threads(threads);
  EXPECT_EQ(found[0].bad, found[1].bad);
  EXPECT_EQ(found[0].along, found[1].along);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(found[0].worst[i].index, found[1].worst[i].index);
  const at::Tensor off = (device.to(at::kDouble) - golden).abs();
  const int64_t worst = off.argmax().item<int64_t>();
  EXPECT_EQ(found[0].worst[0].index, (std::vector<int64_t>{worst / 1000, worst % 1000}));
  EXPECT_EQ(found[0].bad, off.gt(2e-5).sum().item<int64_t>());
}

}  // namespace
}  // namespace msprobe::metrics::test
