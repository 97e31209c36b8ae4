// Distances in units of the last place, against std::nextafter and LibTorch's own values.
#include "metrics/dtype.h"
#include "support.h"

namespace msprobe::metrics::test {
namespace {

TEST(UlpDistance, CountsRepresentableNumbersBetween) {
  float x = 1.0f, y = x;
  for (int steps = 0; steps < 5; ++steps) {
    EXPECT_EQ(max_ulp_distance(at::tensor({x, 7.0f}), at::tensor({y, 7.0f})), static_cast<double>(steps));
    y = std::nextafter(y, 2.0f);
  }
  EXPECT_EQ(max_ulp_distance(tensor({1.0}), tensor({std::nextafter(1.0, 0.0)})), 1.0);
  EXPECT_EQ(max_ulp_distance(tensor({5e-324}), tensor({-5e-324})), 2.0);
  EXPECT_EQ(max_ulp_distance(tensor({1.7976931348623157e308}), tensor({kInf})), 1.0);
  EXPECT_EQ(max_ulp_distance(tensor({-kInf}), tensor({kInf})), 2.0 * 9218868437227405312.0);
  EXPECT_EQ(max_ulp_distance(tensor({1}, at::kHalf), tensor({1.0009765625}, at::kHalf)), 1.0);
  EXPECT_EQ(max_ulp_distance(tensor({1}, at::kBFloat16), tensor({1.015625}, at::kBFloat16)), 2.0);
}

TEST(UlpDistance, SignOfZeroAndKindOfNanDoNotCount) {
  EXPECT_EQ(max_ulp_distance(tensor({0.0, kNan}), tensor({-0.0, -kNan})), 0.0);
  EXPECT_EQ(max_ulp_distance(tensor({kNan}), tensor({1})), kInf);
}

TEST(UlpDistance, OfDifferentTypesOrShapesThereIsNone) {
  EXPECT_EQ(max_ulp_distance(tensor({1}), tensor({1}, at::kFloat)), std::nullopt);
  EXPECT_EQ(max_ulp_distance(tensor({1}), tensor({1, 2})), std::nullopt);
  EXPECT_EQ(max_ulp_distance(at::Tensor(), tensor({1, 2})), std::nullopt);
  EXPECT_EQ(max_ulp_distance(at::zeros({0}), at::zeros({0})), 0.0);
}

TEST(UlpDistance, OtherTypesAndLayouts) {
  EXPECT_EQ(max_ulp_distance(at::tensor({1, 5}), at::tensor({1, 9})), 4.0);
  const at::Tensor c = at::complex(tensor({1, 2}), tensor({3, 4})),
                   d = at::complex(tensor({1, 2}), tensor({3, std::nextafter(4.0, 5.0)}));
  EXPECT_EQ(max_ulp_distance(c, d), 1.0);
  EXPECT_EQ(max_ulp_distance(at::conj(c), at::conj(d)), 1.0);
  at::Tensor m = at::rand({300, 400}), n = m.t().contiguous().t();
  EXPECT_EQ(max_ulp_distance(m, n), 0.0);
  n[299][399] = std::nextafter(m[299][399].item<float>(), 2.0f);
  EXPECT_EQ(max_ulp_distance(m, n), 1.0);
}

TEST(UlpDistance, Float8AmongItsOwnValues) {
  EXPECT_EQ(max_ulp_distance(tensor({1, 2}, at::kFloat8_e4m3fn), tensor({1.125, 2}, at::kFloat8_e4m3fn)), 1.0);
  EXPECT_EQ(max_ulp_distance(tensor({0}, at::kFloat8_e5m2), tensor({-0.0}, at::kFloat8_e5m2)), 0.0);
  EXPECT_EQ(max_ulp_distance(tensor({-std::ldexp(1, -9)}, at::kFloat8_e4m3fn),
                             tensor({std::ldexp(1, -9)}, at::kFloat8_e4m3fn)),
            2.0);
}

TEST(Dtype, Float8ValuesAreLibTorchs) {
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    const std::string aten = c10::toString(type);
    if (aten.rfind("Float8", 0) != 0) continue;
    SCOPED_TRACE(aten);
    const Dtype& dtype = dtype_of(type);
    ASSERT_NE(dtype.byte_values, nullptr);
    const at::Tensor right = at::arange(256, at::kInt).to(at::kByte).view(type).to(at::kFloat);
    for (int byte = 0; byte < 256; ++byte) {
      const float x = dtype.byte_values[byte], y = right[byte].item<float>();
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << byte << ": " << x << " " << y;
    }
  }
}

TEST(Dtype, NamesAndKinds) {
  EXPECT_EQ(dtype_of(at::kHalf).torch_name(), "torch.float16");
  EXPECT_EQ(dtype_of(at::kComplexHalf).torch_name(), "torch.complex32");
  EXPECT_EQ(dtype_of(at::kBool).kind, Kind::kBool);
  EXPECT_EQ(dtype_of(at::kQInt8).kind, Kind::kOther);
}

}  // namespace
}  // namespace msprobe::metrics::test
