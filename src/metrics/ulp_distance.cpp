// Distance between two results of one floating type in units of the last place: the number of representable values
// between.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "metrics/blocks.h"
#include "metrics/compare.h"
#include "metrics/integers.h"
#include "metrics/parallel.h"

namespace msprobe::metrics {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Where a pattern stands among all of its type, -0 with +0; the largest number for nan.
template <class Word>
struct Rank {
  static constexpr Word kSign = Word(Word(1) << (8 * sizeof(Word) - 1));
  static bool is_nan(Word pattern, Word infinity) { return Word(pattern & Word(~kSign)) > infinity; }
  static int64_t of(Word pattern) {
    const int64_t size = static_cast<int64_t>(Word(pattern & Word(~kSign)));
    return pattern & kSign ? -size : size;
  }
};

template <class Word>
double distance(const void* a, const void* b, int64_t count, Word infinity) {
  uint64_t most = 0;
  for (int64_t i = 0; i < count; ++i) {
    Word x, y;
    std::memcpy(&x, static_cast<const Word*>(a) + i, sizeof x);
    std::memcpy(&y, static_cast<const Word*>(b) + i, sizeof y);
    if (x == y) continue;
    const bool x_nan = Rank<Word>::is_nan(x, infinity), y_nan = Rank<Word>::is_nan(y, infinity);
    if (x_nan && y_nan) continue;
    if (x_nan || y_nan) return kFar;
    const int64_t p = Rank<Word>::of(x), q = Rank<Word>::of(y);
    most = std::max(most, p > q ? static_cast<uint64_t>(p) - static_cast<uint64_t>(q)
                                : static_cast<uint64_t>(q) - static_cast<uint64_t>(p));
  }
  return static_cast<double>(most);
}

/// float8: its types place nan, infinity and sign differently, so the rank is counted among the values themselves.
std::vector<int> byte_ranks(const float* values) {
  std::vector<int> ranks(256, 0);
  for (int byte = 0; byte < 256; ++byte) {
    for (int other = 0; other < 256; ++other) {
      // Every value once: -0 is +0.
      const bool second_zero = values[other] == 0 && std::signbit(values[other]);
      ranks[byte] += values[other] < values[byte] && !second_zero;
    }
  }
  return ranks;
}

double byte_distance(const float* values, const std::vector<int>& ranks, const uint8_t* a, const uint8_t* b,
                     int64_t count) {
  int most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool x_nan = std::isnan(values[a[i]]), y_nan = std::isnan(values[b[i]]);
    if (x_nan != y_nan) return kFar;
    if (!x_nan) most = std::max(most, std::abs(ranks[a[i]] - ranks[b[i]]));
  }
  return most;
}

double block_distance(const Dtype& dtype, const std::vector<int>& ranks, const void* a, const void* b,
                      int64_t elements) {
  const int64_t count = dtype.kind == Kind::kComplex ? 2 * elements : elements;
  if (std::memcmp(a, b, elements * dtype.bytes) == 0) return 0;
  switch (dtype.storage) {
    case Storage::kDouble:
      return distance<uint64_t>(a, b, count, 0x7FF0000000000000);
    case Storage::kSingle:
      return distance<uint32_t>(a, b, count, 0x7F800000);
    case Storage::kHalf:
      return distance<uint16_t>(a, b, count, 0x7C00);
    case Storage::kBfloat16:
      return distance<uint16_t>(a, b, count, 0x7F80);
    default:
      return byte_distance(dtype.byte_values, ranks, static_cast<const uint8_t*>(a), static_cast<const uint8_t*>(b),
                           count);
  }
}

}  // namespace

std::optional<double> max_ulp_distance(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined() || a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return std::nullopt;
  const Dtype& dtype = dtype_of(a.scalar_type());
  if (dtype.kind == Kind::kOther || a.layout() != at::kStrided || b.layout() != at::kStrided) return std::nullopt;
  if (a.numel() == 0) return 0;
  const at::Tensor x = a.resolve_conj().resolve_neg(), y = b.resolve_conj().resolve_neg();
  const PairView view(x, y, PairView::Order::kMemory);
  if (dtype.kind == Kind::kInteger || dtype.kind == Kind::kBool) return compare_integers(view, dtype, dtype).largest;
  const std::vector<int> ranks = dtype.byte_values ? byte_ranks(dtype.byte_values) : std::vector<int>();
  const int64_t pieces = (view.elements() + kPiece - 1) / kPiece;
  std::vector<double> most(pieces, 0);
  for_each_piece(pieces, [&](int64_t piece) {
    alignas(64) char raw_a[kBlock * 16], raw_b[kBlock * 16];
    const int64_t end = std::min((piece + 1) * kPiece, view.elements());
    for (int64_t at = piece * kPiece; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      most[piece] = std::max(most[piece], block_distance(dtype, ranks, view.golden(at, count, raw_a),
                                                         view.device(at, count, raw_b), count));
    }
  });
  return *std::max_element(most.begin(), most.end());
}

}  // namespace msprobe::metrics
