// Status and Message of a row: one row a rule, whole messages.
#include "metrics/status.h"

#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

/// n elements of 1000, the first `off` of the device's with relative error `error`.
std::pair<at::Tensor, at::Tensor> share_of_errors(int64_t n, int64_t off, double error, at::ScalarType type) {
  const at::ScalarType compute =
      type == at::kComplexFloat || type == at::kComplexDouble || type == at::kComplexHalf ? at::kDouble : type;
  at::Tensor golden = at::full({n}, 1024, at::kDouble), device = at::full({n}, 1024, compute);
  device.slice(0, 0, off).fill_(1024 * (1 + error));
  return {golden, device};
}

struct ShareCase {
  at::ScalarType type;
  int64_t n, off;
  double error;
  Status documented, mindstudio;
  const char* message;
};

TEST(Status, SharesDecideWhereTheMaximumDoesNot) {
  const ShareCase cases[] = {
      // float16, bfloat16: 双百 decides error, 双千 warning
      {at::kHalf, 1000, 10, 0.5, Status::kError, Status::kError, "双百指标 0.99 <= 0.99"},
      {at::kHalf, 1000, 9, 0.5, Status::kWarning, Status::kWarning, "双千指标 0.991 <= 0.999"},
      {at::kHalf, 10000, 9, 0.5, Status::kPass, Status::kPass, "双千指标 0.9991 > 0.999"},
      {at::kBFloat16, 1000, 10, 0.5, Status::kError, Status::kError, "双百指标 0.99 <= 0.99"},
      {at::kBFloat16, 1000, 5, 0.5, Status::kWarning, Status::kWarning, "双千指标 0.995 <= 0.999"},
      // float32, float64: 双千 decides error, 双万 warning
      {at::kFloat, 1000, 1, 0.5, Status::kError, Status::kError, "双千指标 0.999 <= 0.999"},
      {at::kFloat, 10000, 2, 0.5, Status::kWarning, Status::kWarning, "双万指标 0.9998 <= 0.9999"},
      {at::kFloat, 100000, 9, 0.5, Status::kPass, Status::kPass, "双万指标 0.99991 > 0.9999"},
      {at::kDouble, 1000, 1, 0.5, Status::kError, Status::kError, "双千指标 0.999 <= 0.999"},
      {at::kDouble, 10000, 2, 0.5, Status::kWarning, Status::kWarning, "双万指标 0.9998 <= 0.9999"},
      {at::kDouble, 1000, 1000, 0.0005, Status::kWarning, Status::kWarning, "双万指标 0.001 <= 0.9999"},
  };
  for (const ShareCase& c : cases) {
    SCOPED_TRACE(std::string(c10::toString(c.type)) + " " + c.message);
    auto [golden, device] = share_of_errors(c.n, c.off, c.error, c.type);
    golden[c.n - 1] = 1023;  // not constant
    device[c.n - 1] = 1023;
    const Row row = compare(golden, device);
    EXPECT_EQ(row.status, c.documented);
    EXPECT_EQ(row.message, c.message);
    EXPECT_EQ(compare(golden.to(c.type == at::kDouble || c.type == at::kFloat ? at::kDouble : at::kFloat), device,
                      mindstudio())
                  .status,
              c.mindstudio);
  }
}

struct FloatCase {
  const char* rule;
  std::vector<double> golden, device;
  Status status;
  const char* message;
};

TEST(Status, CosineAndMaximumDecideFirst) {
  const FloatCase cases[] = {
      {"cosine", {1, 0}, {1, 0.2}, Status::kError, "余弦相似度 0.980581 <= 0.99"},
      {"opposite", {1, 2}, {-1, -2}, Status::kError, "余弦相似度 -1 <= 0.99"},
      {"device zero",
       {1e-5, 0},
       {0, 0},
       Status::kError,
       "余弦相似度: the device's output is all 0, the golden's is not"},
      {"golden zero", {0, 0}, {0, 1e-5}, Status::kError, "余弦相似度: the golden output is all 0, the device's is not"},
      {"both zero", {0, 0}, {0, -0.0}, Status::kPass, "最大绝对误差 0 < 0.001; little evidence: all 2 elements are 0"},
      {"maximum", {1, 2}, {1, 2.0005}, Status::kPass, "最大绝对误差 0.0005 < 0.001"},
      {"maximum at its limit", {1, 2, 4}, {1, 2, 4.0009765625}, Status::kPass, "最大绝对误差 0.000976562 < 0.001"},
      {"one element", {2}, {2}, Status::kPass, "最大绝对误差 0 < 0.001; little evidence: 1 element"},
      {"one element wrong", {2}, {3}, Status::kError, "双千指标 0 <= 0.999"},
      {"constant",
       {2, 2, 2},
       {2, 2, 2},
       Status::kPass,
       "最大绝对误差 0 < 0.001; little evidence: all 3 elements are 2"},
      {"special disagrees",
       {1, kNan, 3},
       {1, 2, 3},
       Status::kError,
       "1 of 3 elements inf or nan on one side only, or of different kind or sign; first at [1]: golden nan, device 2"},
  };
  for (const FloatCase& c : cases) {
    SCOPED_TRACE(c.rule);
    const Row row = compare(tensor(c.golden), tensor(c.device, at::kDouble));
    EXPECT_EQ(row.status, c.status);
    EXPECT_EQ(row.message, c.message);
  }
}

TEST(Status, EarlyRulesDoNotBlankFiguresUnlessMindstudioDoes) {
  using F = std::vector<int>;
  const F all_single = {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  struct Case {
    const char* rule;
    std::vector<double> golden, device;
    at::ScalarType type;
    F documented, mindstudio;
  };
  const Case cases[] = {
      {"cosine", {1, 0}, {0, 1}, at::kFloat, all_single, {0, 6, 7, 8, 9, 10}},
      {"maximum", {1, 2}, {1, 2}, at::kFloat, all_single, {0, 1, 6, 7, 8, 9, 10}},
      {"shares of float32", {1, 2}, {1, 2.01}, at::kFloat, all_single, {0, 1, 3, 4, 6, 7, 8, 9, 10}},
      {"双百 of float16", {1, 2}, {1, 2.2}, at::kHalf, all_single, {0, 1, 2, 6, 7, 8, 9, 10}},
      {"双千 of float16", {1, 2}, {1, 2.01}, at::kHalf, all_single, {0, 1, 2, 3, 6, 7, 8, 9, 10}},
      {"float64", {1, 2}, {1, 2.01}, at::kDouble, {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13}, {0, 1, 3, 4}},
      {"one element", {1}, {1}, at::kFloat, {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {1, 6, 7, 8, 9, 10}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rule);
    EXPECT_EQ(filled(compare(tensor(c.golden), tensor(c.device, c.type))), c.documented);
    EXPECT_EQ(filled(compare(tensor(c.golden, c.type == at::kHalf ? at::kFloat : at::kDouble), tensor(c.device, c.type),
                             mindstudio())),
              c.mindstudio);
  }
}

TEST(Status, BinaryErrorRateIsFilledForApisOfTheBinaryAlgorithm) {
  const at::Tensor golden = tensor({1, 0.1, 3}), device = tensor({1, 0.1, 4}, at::kFloat);
  EXPECT_EQ(compare(golden, device, context(config::Profile::kDocumented, "relu"))[Figure::kBinaryErrorRate], 1.0 / 3);
  EXPECT_EQ(compare(golden, device, context(config::Profile::kDocumented, "softmax"))[Figure::kBinaryErrorRate],
            std::nullopt);
  EXPECT_EQ(compare(golden, device, mindstudio("relu"))[Figure::kBinaryErrorRate], std::nullopt);
}

TEST(Status, ShapesAndKindsMustMatch) {
  Row row = compare(at::zeros({2, 3}), at::zeros({3, 2}));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "shape (3, 2), the golden's is (2, 3)");
  EXPECT_EQ(row.shape, "(3, 2)");
  EXPECT_EQ(row.bench_dtype, "torch.float32");
  EXPECT_TRUE(filled(row).empty());
  row = compare(at::zeros({2}, at::kDouble), at::zeros({2}, at::kLong));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "torch.int64 cannot be compared with the golden's torch.float64");
  row = compare(at::zeros({2}, at::kByte), at::zeros({2}, at::kBool));
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(compare(at::zeros({2}, at::kByte), at::zeros({2}, at::kBool), mindstudio()).status, Status::kPass);
  EXPECT_EQ(compare(at::zeros({2}, at::kComplexDouble), at::zeros({2}, at::kFloat)).status, Status::kError);
}

TEST(Status, NoElementsIsASkipAfterTheShape) {
  Row row = compare(at::zeros({0}, at::kDouble), at::zeros({0}));
  EXPECT_EQ(row.status, Status::kSkip);
  EXPECT_EQ(row.message, "no elements to compare");
  EXPECT_EQ(row.shape, "(0,)");
  EXPECT_EQ(compare(at::zeros({0, 3}, at::kDouble), at::zeros({0, 2})).status, Status::kError);
  EXPECT_EQ(compare(at::zeros({2, 0}, at::kLong), at::zeros({2, 0}, at::kLong)).status, Status::kSkip);
}

TEST(Status, TensorsThatAreNotThere) {
  EXPECT_EQ(compare(at::Tensor(), at::Tensor()).status, Status::kSkip);
  EXPECT_EQ(compare(at::Tensor(), at::Tensor()).message, "neither side gives a tensor");
  EXPECT_EQ(compare(at::zeros({1}), at::Tensor()).message, "the golden gives a tensor, the device none");
  EXPECT_EQ(compare(at::Tensor(), at::zeros({1})).status, Status::kError);
}

TEST(Status, SparseTensorsAreFilledUp) {
  const at::Tensor dense = tensor({0, 2, 0, 3});
  EXPECT_EQ(compare(dense, dense.to_sparse()).status, Status::kPass);
  EXPECT_EQ(compare(dense.to_sparse(), tensor({0, 2, 1, 3}).to_sparse()).status, Status::kError);
}

// Rounded to bfloat16 by hand: 1.003 is 1 there and 3.01 is 3.015625, whose relative errors are 0.003 and 0.0019:
// 双百指标 is reached (pass or warning), 双万指标 of float32 is not (error).
TEST(Status, WidenedNumbersAreJudgedAsTheDtypeThatTheyWereComputedIn) {
  const at::Tensor golden = tensor({1.003, 3.01, -2, 100}), narrow = golden.to(at::kBFloat16);
  ASSERT_EQ(narrow.to(at::kDouble)[0].item<double>(), 1);
  ASSERT_EQ(narrow.to(at::kDouble)[1].item<double>(), 3.015625);
  CompareContext c = context(config::Profile::kDocumented, "matmul");
  EXPECT_EQ(compare(golden, narrow.to(at::kFloat), c).status, Status::kError);
  c.computed_in = at::kBFloat16;
  const Row widened = compare(golden, narrow.to(at::kFloat), c);
  EXPECT_EQ(widened.status, Status::kWarning);
  EXPECT_EQ(widened.device_dtype, "torch.float32");
  EXPECT_NEAR(*widened[Figure::kMaxUlp], 0.003 / 0x1p-7, 1e-9);
  const Row as_stored = compare(golden, narrow, context(config::Profile::kDocumented, "matmul"));
  EXPECT_EQ(widened.figures, as_stored.figures);
  EXPECT_EQ(widened.message, as_stored.message);
  // MindStudio knows nothing of it.
  CompareContext m = mindstudio("matmul");
  const Row plain = compare(golden, narrow.to(at::kFloat), m);
  m.computed_in = at::kBFloat16;
  EXPECT_EQ(compare(golden, narrow.to(at::kFloat), m).figures, plain.figures);
}

TEST(Status, DropoutIsJudgedByItsZeros) {
  CompareContext c = context(config::Profile::kDocumented, "dropout");
  c.dropout = true;
  at::Tensor golden = at::ones({1000}, at::kDouble), device = at::ones({1000}, at::kFloat);
  golden.slice(0, 0, 500).zero_();
  device.slice(0, 401, 1000).zero_();
  Row row = compare(golden, device, c);
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.message,
            "dropout: 500 zeros in the golden, 599 in the device's output of 1000 elements, difference 0.099 < 0.1");
  // Figures of two different masks: shown, not judged.
  EXPECT_EQ(filled(row), filled(compare(golden, device)));
  EXPECT_EQ(*row[Figure::kMaxAbs], 1);
  EXPECT_EQ(*row[Figure::kHundredth], *compare(golden, device)[Figure::kHundredth]);
  device.slice(0, 400, 1000).zero_();
  row = compare(golden, device, c);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message,
            "dropout: 500 zeros in the golden, 600 in the device's output of 1000 elements, difference 0.1 >= 0.1");
  row = compare(golden.slice(0, 0, 99), device.slice(0, 0, 99), c);
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.message, "dropout: 99 elements, zeros are compared from 100 on");
  // -0 is a zero, in every type.
  for (at::ScalarType type : {at::kHalf, at::kBFloat16, at::kDouble, at::kComplexFloat}) {
    SCOPED_TRACE(c10::toString(type));
    const at::Tensor zeros = at::zeros({200}, type).neg();
    const at::Tensor b =
        type == at::kComplexFloat ? at::zeros({200}, at::kComplexDouble) : at::zeros({200}, at::kDouble);
    EXPECT_EQ(compare(b, zeros, c).status, Status::kPass);
    EXPECT_EQ(compare(b, at::ones({200}, type), c).status, Status::kError);
  }
}

TEST(Status, Float8IsJudgedByUlpShare) {
  const at::Tensor golden = at::arange(1, 101, at::kDouble);
  Row row = compare(golden, golden.to(at::kFloat8_e4m3fn));
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(row.message, "ULP误差大于阈值占比 0 < 0.001 (torch.float8_e4m3fn has no share to reach)");
  row = compare(golden, (golden * 1.3).to(at::kFloat8_e4m3fn));
  EXPECT_EQ(row.status, Status::kWarning);
  EXPECT_EQ(compare(golden, (golden * 1.3).to(at::kFloat8_e5m2), mindstudio()).status, Status::kPass);
  EXPECT_EQ(filled(compare(golden, (golden * 1.3).to(at::kFloat8_e5m2), mindstudio())),
            (std::vector<int>{0, 1, 3, 4, 14, 15, 16}));
}

TEST(Status, CombineTakesTheWorst) {
  const auto rows = [](std::vector<Status> statuses) {
    std::vector<Row> out(statuses.size());
    for (size_t i = 0; i < statuses.size(); ++i) out[i].status = statuses[i];
    return out;
  };
  const auto [p, w, e, s] = std::array{Status::kPass, Status::kWarning, Status::kError, Status::kSkip};
  EXPECT_EQ(outcome::combine({}), Status::kBlank);
  EXPECT_EQ(outcome::combine(rows({s, s})), Status::kSkip);
  EXPECT_EQ(outcome::combine(rows({s, p})), Status::kPass);
  EXPECT_EQ(outcome::combine(rows({p, w, s})), Status::kWarning);
  EXPECT_EQ(outcome::combine(rows({w, e, p})), Status::kError);
  EXPECT_EQ(outcome::combine(rows({s, e})), Status::kError);
}

TEST(Status, PythonShapes) {
  EXPECT_EQ(python_shape({}), "()");
  EXPECT_EQ(python_shape({0}), "(0,)");
  EXPECT_EQ(python_shape({5}), "(5,)");
  EXPECT_EQ(python_shape({2, 3}), "(2, 3)");
}

TEST(Status, RecordOfAScalarTensor) {
  const Row row = compare(at::full({}, 2.0, at::kDouble), at::full({}, 2.0, at::kFloat));
  EXPECT_EQ(row.shape, "()");
  EXPECT_EQ(row.status, Status::kPass);
}

}  // namespace
}  // namespace msprobe::metrics::test
