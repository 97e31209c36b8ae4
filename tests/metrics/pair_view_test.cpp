// Reading two tensors side by side.
#include "metrics/pair_view.h"

#include "support.h"

namespace msprobe::metrics::test {
namespace {

std::vector<int64_t> read(const PairView& view, int64_t begin, int64_t count, bool golden) {
  std::vector<int64_t> scratch(count);
  const auto* p = static_cast<const int64_t*>(golden ? view.golden(begin, count, scratch.data())
                                                     : view.device(begin, count, scratch.data()));
  return {p, p + count};
}

TEST(PairView, RowMajorReadsByIndexWhateverTheStrides) {
  const at::Tensor base = at::arange(2 * 3 * 4, at::kLong).view({2, 3, 4});
  const at::Tensor permuted = base.permute({2, 0, 1}), dense = permuted.contiguous();
  const PairView view(permuted, dense, PairView::Order::kRowMajor);
  EXPECT_TRUE(view.row_major());
  for (int64_t begin = 0; begin < 24; ++begin) {
    EXPECT_EQ(read(view, begin, 24 - begin, true), read(view, begin, 24 - begin, false)) << begin;
  }
}

TEST(PairView, MemoryOrderOfLikeLayoutsIsTheMemorys) {
  const at::Tensor base = at::arange(24, at::kLong).view({2, 3, 4}), permuted = base.permute({2, 0, 1}),
                   like = permuted.clone();
  const PairView view(permuted, like, PairView::Order::kMemory);
  EXPECT_FALSE(view.row_major());
  std::vector<int64_t> counting(24);
  for (int64_t i = 0; i < 24; ++i) counting[i] = i;
  EXPECT_EQ(read(view, 0, 24, true), counting);
  EXPECT_EQ(read(view, 0, 24, false), counting);
}

TEST(PairView, SidesOfDifferentLayoutStayInStep) {
  const at::Tensor a = at::arange(60, at::kLong).view({3, 4, 5});
  const at::Tensor b = a.permute({1, 2, 0}).contiguous().permute({2, 0, 1});
  const PairView view(a, b, PairView::Order::kMemory);
  EXPECT_EQ(read(view, 0, 60, true), read(view, 0, 60, false));
  EXPECT_EQ(read(view, 17, 30, true), read(view, 17, 30, false));
}

TEST(PairView, IndicesBeyond32Bits) {
  // 3 x 2^30 elements that take three in memory.
  const at::Tensor a = at::tensor(std::vector<int64_t>{10, 20, 30}).unsqueeze(1).expand({3, int64_t{1} << 30});
  const PairView view(a, a, PairView::Order::kRowMajor);
  EXPECT_EQ(view.elements(), int64_t{3} << 30);
  EXPECT_EQ(read(view, (int64_t{1} << 30) - 1, 2, true), (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(read(view, (int64_t{1} << 31) - 1, 2, false), (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(read(view, (int64_t{3} << 30) - 1, 1, true), std::vector<int64_t>{30});
}

TEST(PairView, NoDimensionAndOnes) {
  const at::Tensor a = at::full({}, 7, at::kLong), b = at::full({1, 1}, 7, at::kLong).expand({1, 1});
  EXPECT_EQ(read(PairView(a, a, PairView::Order::kMemory), 0, 1, true), std::vector<int64_t>{7});
  EXPECT_EQ(read(PairView(b, b, PairView::Order::kMemory), 0, 1, true), std::vector<int64_t>{7});
}

}  // namespace
}  // namespace msprobe::metrics::test
