// Ties among indices.
#include "support.h"

namespace msprobe::metrics::test {
namespace {

using outcome::Row;
using outcome::Status;

at::Tensor longs(const std::vector<int64_t>& values) {
  return at::tensor(values, at::dtype(at::kLong));
}

Row compare_index(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                  std::optional<int64_t> dim, bool distinct = true,
                  config::Profile profile = config::Profile::kDocumented) {
  Row row;
  compare_indices(golden, device, values, dim, distinct, context(profile, "topk"), row);
  return row;
}

TEST(Indices, AnEqualValueElsewhereIsATie) {
  const at::Tensor values = tensor({5, 3, 5, 1}, at::kHalf);
  const Row row = compare_index(longs({0, 2, 1}), longs({2, 0, 1}), values, 0);
  EXPECT_EQ(row.status, Status::kPass);
  EXPECT_EQ(*row[outcome::Figure::kBinaryErrorRate], 0);
  EXPECT_EQ(row.message, "二进制一致错误率 0; 2 elements are ties: another index, an equal value");
  EXPECT_EQ(compare_index(longs({0, 2, 1}), longs({2, 0, 1}), values, 0, true, config::Profile::kMindstudio).status,
            Status::kError);
}

TEST(Indices, AnotherValueIsAnError) {
  const Row row = compare_index(longs({0, 2}), longs({2, 1}), tensor({5, 3, 5, 1}), 0);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(*row[outcome::Figure::kBinaryErrorRate], 0.5);
  EXPECT_EQ(row.message,
            "二进制一致错误率 0.5 > 0: of 2 elements 1 select another value; 1 element is a tie: another index, an "
            "equal value");
}

TEST(Indices, OutOfRangeIsAnError) {
  for (int64_t bad :
       {int64_t{4}, int64_t{-1}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    const Row row = compare_index(longs({0, 2}), longs({0, bad}), tensor({5, 3, 5, 1}), 0);
    EXPECT_EQ(row.status, Status::kError);
    EXPECT_EQ(row.message, "二进制一致错误率 0.5 > 0: of 2 elements 1 out of range [0, 4)");
  }
}

TEST(Indices, RepeatedIsAnErrorWhereIndicesMustBeDistinct) {
  const at::Tensor values = tensor({5, 5, 5, 1});
  const Row row = compare_index(longs({0, 1, 2}), longs({0, 0, 2}), values, 0);
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.message, "二进制一致错误率 0.333333 > 0: of 3 elements 1 repeated where indices must be distinct");
  EXPECT_EQ(compare_index(longs({0, 1, 2}), longs({0, 0, 2}), values, 0, false).status, Status::kPass);
}

TEST(Indices, AlongAnyDimensionWithOrWithoutIt) {
  const at::Tensor values = tensor({1, 9, 9, 4, 4, 2}).view({3, 2});  // columns: 1 9 4, 9 4 2
  EXPECT_EQ(compare_index(longs({1, 0}), longs({1, 0}), values, 0).status, Status::kPass);
  const at::Tensor ties = tensor({7, 9, 7, 9, 1, 9}).view({3, 2});
  EXPECT_EQ(compare_index(longs({0, 0}), longs({1, 2}), ties, 0, false).status, Status::kPass);
  EXPECT_EQ(compare_index(longs({0, 0}).view({1, 2}), longs({1, 2}).view({1, 2}), ties, -2, false).status,
            Status::kPass);
  EXPECT_EQ(compare_index(longs({0, 0}), longs({2, 2}), ties, 0, false).status, Status::kError);
  EXPECT_EQ(
      compare_index(longs({0, 1, 0}).view({3, 1}), longs({1, 1, 0}).view({3, 1}), ties.t().contiguous().t(), 1, false)
          .status,
      Status::kError);
}

TEST(Indices, FlattenedAndNoDimension) {
  const at::Tensor values = tensor({3, 8, 8, 1}).view({2, 2});
  EXPECT_EQ(compare_index(longs({1}).squeeze(), longs({2}).squeeze(), values, std::nullopt, false).status,
            Status::kPass);
  EXPECT_EQ(compare_index(longs({1}).squeeze(), longs({0}).squeeze(), values, std::nullopt, false).status,
            Status::kError);
  EXPECT_EQ(compare_index(longs({0}).squeeze(), longs({0}).squeeze(), tensor({3}).squeeze(), 0, false).status,
            Status::kPass);
  // The inverse of unique: any shape, into the unique values.
  EXPECT_EQ(compare_index(longs({0, 1, 0}), longs({2, 1, 2}), tensor({4, 5, 4}), std::nullopt, false).status,
            Status::kPass);
}

TEST(Indices, NanEqualsNanAndZerosAreEqual) {
  EXPECT_EQ(compare_index(longs({0}), longs({1}), tensor({kNan, kNan, 1}), 0).status, Status::kPass);
  EXPECT_EQ(compare_index(longs({0}), longs({1}), tensor({0, -0.0, 1}), 0).status, Status::kPass);
  EXPECT_EQ(compare_index(longs({0}), longs({2}), tensor({kNan, kNan, 1}), 0).status, Status::kError);
}

TEST(Indices, WithoutFittingValuesEveryDifferenceCounts) {
  EXPECT_EQ(compare_index(longs({0, 1}), longs({1, 0}), tensor({1, 1, 1, 1}).view({2, 2}).unsqueeze(0), 0).status,
            Status::kError);
  EXPECT_EQ(compare_index(longs({0, 1}), longs({1, 0}), at::Tensor(), 0).status, Status::kError);
  EXPECT_EQ(compare_index(longs({0, 1}), longs({1, 0, 2}), tensor({1, 1, 1}), 0).message,
            "shape (3,), the golden's is (2,)");
}

TEST(Indices, ResultsOfLibTorchItself) {
  at::manual_seed(7);
  const at::Tensor values = at::randint(0, 4, {20, 30, 5}, at::kFloat);
  for (int64_t dim : {0, 1, 2}) {
    SCOPED_TRACE(dim);
    const auto stable = at::sort(values, true, dim, false), other = at::sort(values.flip(dim), true, dim, false);
    // The same sort seen from the other end gives other indices of equal values.
    const at::Tensor golden = std::get<1>(stable), device = values.size(dim) - 1 - std::get<1>(other);
    EXPECT_FALSE(golden.equal(device));
    EXPECT_EQ(compare_index(golden, device, values, dim).status, Status::kPass);
    EXPECT_EQ(compare_index(golden, device, values.flip(dim), dim).status, Status::kError);
  }
}

}  // namespace
}  // namespace msprobe::metrics::test
