#include "metrics/mindstudio.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "metrics/accumulate.h"
#include "metrics/blocks.h"
#include "metrics/kernel.h"
#include "metrics/numpy_sum.h"
#include "metrics/parallel.h"

namespace msprobe::metrics {
namespace {

/// OpenBLAS sums more than these in as many parts as it has threads; here the pieces of the pass are summed instead.
constexpr int64_t kOneThreadDot = 10000;

template <class B, class D>
const NumpyKernels<B, D>& numpy_kernels() {
  const Kernels& k = kernels();
  if constexpr (std::is_same_v<B, float> && std::is_same_v<D, float>)
    return k.numpy_single;
  else if constexpr (std::is_same_v<B, double> && std::is_same_v<D, float>)
    return k.numpy_mixed;
  else if constexpr (std::is_same_v<B, float>)
    return k.numpy_reverse;
  else
    return k.numpy_double;
}

template <class B, class D>
class NumpyPass {
  using C = typename Common<B, D>::Type;

 public:
  NumpyPass(const PairView& memory, const PairView& row_major, const Dtype& golden, const Dtype& device,
            const NumpyLimits& limits)
      : memory_(memory), row_major_(row_major), golden_(golden), device_(device), limits_(limits) {}

  Partial run() {
    const int64_t n = memory_.elements();
    split(0, n);
    results_.resize(pieces_.size());
    for_each_piece(static_cast<int64_t>(pieces_.size()), [&](int64_t i) {
      Buffers buffers;
      results_[i].total = sum(pieces_[i].first, pieces_[i].second, buffers, results_[i].sums);
    });
    size_t next = 0;
    const Pair total = join(n, next);
    NumpySums all = results_[0].sums;
    for (size_t i = 1; i < results_.size(); ++i) merge(all, results_[i].sums);

    Partial out;
    out.numpy = true;
    out.elements = n;
    out.max_golden = all.max_golden;
    out.max_device = all.max_device;
    out.max_abs = all.max_abs;
    out.numpy_max_abs_judged = all.max_abs_judged;
    out.numpy_agree = all.agree;
    out.max_relative = std::max(all.max_relative, 0.0);
    out.hundredth = all.hundredth;
    out.thousandth = all.thousandth;
    out.ten_thousandth = all.ten_thousandth;
    out.small = all.small;
    out.small_wrong = all.small_wrong;
    out.absolute_wrong = all.absolute_wrong;
    out.relative_wrong = all.relative_wrong;
    out.above = all.above;
    out.below = all.below;
    out.finite = n - all.other;
    out.inf_nan_wrong = all.inf_nan_wrong;
    out.numpy_mean_square = mean(total.square, n);
    const int64_t normal = out.normal();
    if (normal == n && memory_.row_major()) {
      out.numpy_mean_relative = mean(total.relative, n);
    } else if (normal > 0) {
      out.numpy_mean_relative = mean(Compacted(*this).sum(normal), normal);
    }
    out.numpy_cosine = cosine(all);
    return out;
  }

 private:
  struct Pair {
    C square = 0, relative = 0;
  };
  struct Result {
    Pair total;
    NumpySums sums;
  };
  struct Buffers {
    alignas(64) char raw[kNumpyLeaf * 8];
    alignas(64) char raw_device[kNumpyLeaf * 8];
    alignas(64) float floats[kNumpyLeaf], device_floats[kNumpyLeaf];
    alignas(64) double doubles[kNumpyLeaf], device_doubles[kNumpyLeaf];
  };

  /// What numpy's arrays hold; a bfloat16 device makes a float64 golden float32.
  const B* golden(const PairView& view, int64_t begin, int64_t n, Buffers& s) const {
    const void* raw = view.golden(begin, n, s.raw);
    if constexpr (std::is_same_v<B, double>) {
      return as_double(golden_, raw, n, s.floats, s.doubles);
    } else {
      if (golden_.storage != Storage::kDouble) return as_single(golden_, raw, n, s.floats);
      for (int64_t i = 0; i < n; ++i) s.floats[i] = static_cast<float>(static_cast<const double*>(raw)[i]);
      return s.floats;
    }
  }
  const D* device(const PairView& view, int64_t begin, int64_t n, Buffers& s) const {
    const void* raw = view.device(begin, n, s.raw_device);
    if constexpr (std::is_same_v<D, double>)
      return as_double(device_, raw, n, s.device_floats, s.device_doubles);
    else
      return as_single(device_, raw, n, s.device_floats);
  }

  static C mean(C sum, int64_t n) { return static_cast<C>(static_cast<double>(sum) / static_cast<double>(n)); }

  void split(int64_t begin, int64_t n) {
    if (n <= kPiece) {
      pieces_.emplace_back(begin, n);
      return;
    }
    const int64_t first = numpy_first_half(n);
    split(begin, first);
    split(begin + first, n - first);
  }
  Pair join(int64_t n, size_t& next) const {
    if (n <= kPiece) return results_[next++].total;
    const int64_t first = numpy_first_half(n);
    const Pair a = join(first, next), b = join(n - first, next);
    return {a.square + b.square, a.relative + b.relative};
  }
  Pair sum(int64_t begin, int64_t n, Buffers& buffers, NumpySums& sums) const {
    if (n <= kNumpyLeaf) {
      Pair leaf;
      numpy_kernels<B, D>().leaf(golden(memory_, begin, n, buffers), device(memory_, begin, n, buffers),
                                 static_cast<int>(n), limits_, sums, leaf.square, leaf.relative);
      return leaf;
    }
    const int64_t first = numpy_first_half(n);
    const Pair a = sum(begin, first, buffers, sums), b = sum(begin + first, n - first, buffers, sums);
    return {a.square + b.square, a.relative + b.relative};
  }
  static void merge(NumpySums& all, const NumpySums& more) {
    for (double NumpySums::*most :
         {&NumpySums::max_golden, &NumpySums::max_device, &NumpySums::max_abs, &NumpySums::max_abs_judged}) {
      if (more.*most > all.*most || std::isnan(more.*most)) all.*most = more.*most;
    }
    all.max_relative = std::max(all.max_relative, more.max_relative);
    for (double NumpySums::*sum : {&NumpySums::dot, &NumpySums::golden_square, &NumpySums::device_square}) {
      all.*sum += more.*sum;
    }
    for (int64_t NumpySums::*count :
         {&NumpySums::hundredth, &NumpySums::thousandth, &NumpySums::ten_thousandth, &NumpySums::small,
          &NumpySums::small_wrong, &NumpySums::absolute_wrong, &NumpySums::relative_wrong, &NumpySums::above,
          &NumpySums::below, &NumpySums::other, &NumpySums::inf_nan_wrong, &NumpySums::agree}) {
      all.*count += more.*count;
    }
  }

  /// The relative errors of normal elements one behind the other, as numpy's boolean index gives them, summed pairwise.
  class Compacted {
   public:
    explicit Compacted(const NumpyPass& pass) : pass_(pass) {}
    C sum(int64_t n) {
      if (n <= kNumpyLeaf) {
        C values[kNumpyLeaf];
        for (int i = 0; i < n; ++i) values[i] = next();
        return numpy_leaf_sum(values, static_cast<int>(n));
      }
      const int64_t first = numpy_first_half(n);
      const C a = sum(first);
      return a + sum(n - first);
    }

   private:
    C next() {
      while (true) {
        while (at_ < filled_) {
          if (const C value = block_[at_++]; value >= 0) return value;
        }
        filled_ = std::min<int64_t>(kNumpyLeaf, pass_.row_major_.elements() - begin_);
        numpy_kernels<B, D>().relative(pass_.golden(pass_.row_major_, begin_, filled_, buffers_),
                                       pass_.device(pass_.row_major_, begin_, filled_, buffers_),
                                       static_cast<int>(filled_), pass_.limits_, block_);
        begin_ += filled_;
        at_ = 0;
      }
    }
    const NumpyPass& pass_;
    Buffers buffers_;
    C block_[kNumpyLeaf];
    int64_t begin_ = 0, filled_ = 0, at_ = 0;
  };

  double cosine(const NumpySums& all) const {
    const int64_t n = memory_.elements();
    if (n <= kOneThreadDot) {
      std::vector<double> b(n), d(n);
      Buffers buffers;
      for (int64_t at = 0; at < n; at += kNumpyLeaf) {
        const int64_t count = std::min<int64_t>(kNumpyLeaf, n - at);
        const B* golden_block = golden(row_major_, at, count, buffers);
        const D* device_block = device(row_major_, at, count, buffers);
        for (int64_t i = 0; i < count; ++i) {
          b[at + i] = static_cast<double>(golden_block[i]) / all.max_golden;
          d[at + i] = static_cast<double>(device_block[i]) / all.max_device;
        }
      }
      const auto dot = kernels().blas_dot;
      return dot(d.data(), b.data(), n) /
             (std::sqrt(dot(d.data(), d.data(), n)) * std::sqrt(dot(b.data(), b.data(), n)));
    }
    if (!std::isfinite(all.max_golden) || !std::isfinite(all.max_device)) return std::nan("");
    if (std::max(all.max_golden, all.max_device) < 0x1p480 && std::min(all.max_golden, all.max_device) > 0x1p-480) {
      return all.dot / (std::sqrt(all.golden_square) * std::sqrt(all.device_square));
    }
    Partial products;
    KernelLimits none{};
    none.small_value = INFINITY;
    Buffers buffers;
    for (int64_t at = 0; at < n; at += kNumpyLeaf) {
      const int64_t count = std::min<int64_t>(kNumpyLeaf, n - at);
      const B* golden_block = golden(row_major_, at, count, buffers);
      const D* device_block = device(row_major_, at, count, buffers);
      double b[kNumpyLeaf], d[kNumpyLeaf];
      std::copy_n(golden_block, count, b);
      std::copy_n(device_block, count, d);
      add_products(b, d, count, none, products);
    }
    const Sum &dot = products.dot, &gg = products.golden_square, &dd = products.device_square;
    return std::ldexp(dot.mantissa() / (std::sqrt(gg.mantissa()) * std::sqrt(dd.mantissa())),
                      dot.exponent() - gg.exponent() / 2 - dd.exponent() / 2);
  }

  const PairView &memory_, &row_major_;
  const Dtype &golden_, &device_;
  const NumpyLimits& limits_;
  std::vector<std::pair<int64_t, int64_t>> pieces_;
  std::vector<Result> results_;
};

bool is_double(const Dtype& dtype) {
  return dtype.storage == Storage::kDouble;
}

}  // namespace

bool numpy_uses_single(const Dtype& golden, const Dtype& device) {
  return !is_double(device) && (!is_double(golden) || device.storage == Storage::kBfloat16);
}

Partial accumulate_like_numpy(const PairView& memory, const PairView& row_major, const Dtype& golden,
                              const Dtype& device, const NumpyLimits& limits) {
  const bool single_golden = !is_double(golden) || device.storage == Storage::kBfloat16;
  if (is_double(device)) {
    if (single_golden) return NumpyPass<float, double>(memory, row_major, golden, device, limits).run();
    return NumpyPass<double, double>(memory, row_major, golden, device, limits).run();
  }
  if (single_golden) return NumpyPass<float, float>(memory, row_major, golden, device, limits).run();
  return NumpyPass<double, float>(memory, row_major, golden, device, limits).run();
}

}  // namespace msprobe::metrics
