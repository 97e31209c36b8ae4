// The kernels of every instruction set give the same bits, and their conversions are LibTorch's.
#include "metrics/kernel.h"

#include <random>

#include "support.h"

namespace msprobe::metrics::test {
namespace {

std::vector<const Kernels*> usable() {
  std::vector<const Kernels*> all;
  for (const Kernels* k : {baseline_kernels(), avx2_kernels(), avx512_kernels()}) {
    if (k != nullptr) all.push_back(k);
  }
  return all;
}

KernelLimits limits(const FloatFormat& format) {
  return {format, 0x1p-52, 0.01, 0.001, 0.0001, 0x1p-14, 0x1p-30, 0x1p-20, 32};
}
constexpr FloatFormat kSingleFormat{23, -126, 3.4028234663852886e38, 0x1.FFFFFFp127, true};
constexpr FloatFormat kHalfFormat{10, -14, 65504, 65520, true};
constexpr FloatFormat kE4m3fn{3, -6, 448, 0x1.D000000000001p8, false};
constexpr FloatFormat kDoubleFormat{52, -1022, 1.7976931348623157e308, kInf, true};

struct Data {
  std::vector<double> golden, device_double;
  std::vector<float> device;
};

Data random_data(std::mt19937_64& random, int64_t n, bool special) {
  Data data;
  std::normal_distribution<double> normal;
  const double specials[] = {kInf, -kInf, kNan, 0, -0.0, 65520, 3.5e38, 1e-45, 5e-324, 1e300, 464};
  for (int64_t i = 0; i < n; ++i) {
    double b = normal(random) * std::exp2(normal(random) * 10),
           d = b * (1 + normal(random) * std::exp2(-20 * std::abs(normal(random))));
    if (special && random() % 8 == 0) b = specials[random() % std::size(specials)];
    if (special && random() % 8 == 0) d = random() % 2 ? b : specials[random() % std::size(specials)];
    data.golden.push_back(b);
    data.device_double.push_back(d);
    data.device.push_back(static_cast<float>(d));
  }
  return data;
}

/// BlockSums holds doubles and int64 only, so its bytes are its value.
void expect_same_bits(const BlockSums& a, const BlockSums& b) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(Kernels, SameBitsOnEveryInstructionSet) {
  std::mt19937_64 random(1);
  const auto all = usable();
  for (int round = 0; round < 300; ++round) {
    const int64_t n = 8 * (1 + random() % 300);
    const bool special = round % 2 == 1;
    const Data data = random_data(random, n, special);
    for (const FloatFormat& format : {kSingleFormat, kHalfFormat, kE4m3fn}) {
      const KernelLimits l = limits(format);
      BlockSums first{}, other{};
      (special ? all[0]->special_single : all[0]->fast_single)(data.golden.data(), data.device.data(), n, l, first);
      for (const Kernels* k : all) {
        SCOPED_TRACE(k->name);
        (special ? k->special_single : k->fast_single)(data.golden.data(), data.device.data(), n, l, other);
        expect_same_bits(first, other);
      }
    }
    const KernelLimits l = limits(kDoubleFormat);
    BlockSums first{}, other{};
    (special ? all[0]->special_double : all[0]->fast_double)(data.golden.data(), data.device_double.data(), n, l,
                                                             first);
    for (const Kernels* k : all) {
      SCOPED_TRACE(k->name);
      (special ? k->special_double : k->fast_double)(data.golden.data(), data.device_double.data(), n, l, other);
      expect_same_bits(first, other);
    }
    if (HasFailure()) return;
  }
}

TEST(Kernels, FastAndSpecialAgreeOnOrdinaryNumbers) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const Data data = random_data(random, 2048, false);
    BlockSums fast{}, special{};
    kernels().fast_single(data.golden.data(), data.device.data(), 2048, limits(kSingleFormat), fast);
    kernels().special_single(data.golden.data(), data.device.data(), 2048, limits(kSingleFormat), special);
    EXPECT_EQ(special.disagree, 0);
    EXPECT_EQ(special.golden_special + special.device_special, 0);
    special.max_device = fast.max_device;  // the fast kernel only tells zero from not
    expect_same_bits(fast, special);
    kernels().fast_double(data.golden.data(), data.device_double.data(), 2048, limits(kDoubleFormat), fast);
    kernels().special_double(data.golden.data(), data.device_double.data(), 2048, limits(kDoubleFormat), special);
    expect_same_bits(fast, special);
  }
}

template <class B, class D>
void same_numpy(const NumpyKernels<B, D>& a, const NumpyKernels<B, D>& b, const Data& data, int n, bool half) {
  const std::vector<B> golden(data.golden.begin(), data.golden.end());
  const std::vector<D> device(data.device_double.begin(), data.device_double.end());
  const NumpyLimits l{half, 0x1p-52, 0.01, 0.001, 0.0001, 0x1p-20, 0x1p-30, 0x1p-16, 0x1p-20, 3.4028234663852886e38};
  NumpySums x, y;
  typename NumpyKernels<B, D>::C square_x, square_y, relative_x, relative_y, out_x[128], out_y[128];
  a.leaf(golden.data(), device.data(), n, l, x, square_x, relative_x);
  b.leaf(golden.data(), device.data(), n, l, y, square_y, relative_y);
  EXPECT_EQ(std::memcmp(&square_x, &square_y, sizeof square_x), 0);
  EXPECT_EQ(std::memcmp(&relative_x, &relative_y, sizeof relative_x), 0);
  for (double NumpySums::*f :
       {&NumpySums::max_golden, &NumpySums::max_device, &NumpySums::max_abs, &NumpySums::max_abs_judged,
        &NumpySums::max_relative, &NumpySums::dot, &NumpySums::golden_square, &NumpySums::device_square}) {
    EXPECT_TRUE(x.*f == y.*f || (std::isnan(x.*f) && std::isnan(y.*f)));
  }
  for (int64_t NumpySums::*f :
       {&NumpySums::hundredth, &NumpySums::thousandth, &NumpySums::ten_thousandth, &NumpySums::small,
        &NumpySums::small_wrong, &NumpySums::absolute_wrong, &NumpySums::relative_wrong, &NumpySums::above,
        &NumpySums::below, &NumpySums::other, &NumpySums::inf_nan_wrong, &NumpySums::agree}) {
    EXPECT_EQ(x.*f, y.*f);
  }
  a.relative(golden.data(), device.data(), n, l, out_x);
  b.relative(golden.data(), device.data(), n, l, out_y);
  EXPECT_EQ(std::memcmp(out_x, out_y, n * sizeof out_x[0]), 0);
}

TEST(Kernels, NumpysArithmeticHasTheSameBitsOnEveryInstructionSet) {
  std::mt19937_64 random(3);
  const auto all = usable();
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + static_cast<int>(random() % 128);
    const Data data = random_data(random, n, round % 2 == 1);
    for (const Kernels* k : all) {
      SCOPED_TRACE(k->name);
      same_numpy(all[0]->numpy_single, k->numpy_single, data, n, round % 3 == 0);
      same_numpy(all[0]->numpy_mixed, k->numpy_mixed, data, n, round % 3 == 0);
      same_numpy(all[0]->numpy_reverse, k->numpy_reverse, data, n, false);
      same_numpy(all[0]->numpy_double, k->numpy_double, data, n, false);
      const double dot = k->blas_dot(data.golden.data(), data.device_double.data(), n);
      const double first = all[0]->blas_dot(data.golden.data(), data.device_double.data(), n);
      EXPECT_TRUE(dot == first || (std::isnan(dot) && std::isnan(first))) << dot << " " << first;
    }
    if (HasNonfatalFailure()) return;
  }
}

TEST(Kernels, ConversionsOfAllHalvesAreLibTorchs) {
  const at::Tensor patterns = at::arange(65536, at::kInt).to(at::kShort);
  const auto* raw = reinterpret_cast<const uint16_t*>(patterns.const_data_ptr<int16_t>());
  for (at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    const at::Tensor expected = patterns.view(type).to(at::kFloat);
    for (const Kernels* k : usable()) {
      SCOPED_TRACE(std::string(k->name) + " " + c10::toString(type));
      // An odd count leaves a rest behind the vectors.
      std::vector<float> values(65535);
      (type == at::kHalf ? k->half_to_single : k->bfloat16_to_single)(raw, values.data(), 65535);
      const float* right = expected.const_data_ptr<float>();
      for (int i = 0; i < 65535; ++i) {
        ASSERT_TRUE(values[i] == right[i] || (std::isnan(values[i]) && std::isnan(right[i]))) << i;
        ASSERT_EQ(std::signbit(values[i]), std::signbit(right[i])) << i;
      }
    }
  }
}

TEST(Kernels, BestOfTheCpuIsTaken) {
  EXPECT_EQ(&kernels(), usable().back());
  EXPECT_STREQ(baseline_kernels()->name, "baseline");
}

}  // namespace
}  // namespace msprobe::metrics::test
