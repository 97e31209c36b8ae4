#include "metrics/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/blocks.h"
#include "metrics/parallel.h"

namespace msprobe::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostWorst = 8;
constexpr int64_t kMostParts = 64;

struct Element {
  int64_t place = 0;  ///< among all, in the order of the indices
  double golden[2] = {}, device[2] = {};
  double ulp = 0, excess = 0;  ///< excess: error / tolerance
};

/// Worse first; among equals the one that comes first.
bool is_worse(const Element& a, const Element& b) {
  return a.excess != b.excess ? a.excess > b.excess : a.place < b.place;
}

/// How the indices of a dimension are put together.
struct Parts {
  int64_t size, parts;
  int64_t of(int64_t index) const { return index * parts / size; }
  int64_t indices(int64_t part) const { return first(part + 1) - first(part); }

 private:
  int64_t first(int64_t part) const { return (part * size + parts - 1) / parts; }
};

std::vector<Parts> parts_of(at::IntArrayRef sizes) {
  std::vector<Parts> all;
  for (const int64_t size : sizes) all.push_back({size, std::min(size, kMostParts)});
  return all;
}

/// What one piece of the elements shows.
struct Found {
  std::vector<Element> worst;
  std::array<int64_t, 24> histogram{};
  std::vector<std::vector<int64_t>> bad_along;
  int64_t bad = 0;

  void add_worst(const Element& e) {
    if (worst.size() == kMostWorst && !is_worse(e, worst.back())) return;
    worst.insert(std::upper_bound(worst.begin(), worst.end(), e, is_worse), e);
    if (worst.size() > kMostWorst) worst.pop_back();
  }
  void merge(const Found& other) {
    for (const Element& e : other.worst) add_worst(e);
    for (size_t i = 0; i < histogram.size(); ++i) histogram[i] += other.histogram[i];
    for (size_t i = 0; i < bad_along.size(); ++i)
      for (size_t k = 0; k < bad_along[i].size(); ++k) bad_along[i][k] += other.bad_along[i][k];
    bad += other.bad;
  }
};

size_t bin_of(double ulp) {
  constexpr size_t kLast = 22;
  if (std::isinf(ulp)) return kLast + 1;
  if (ulp == 0) return 0;
  if (ulp <= 0.5) return 1;
  if (ulp <= 1) return 2;
  int exponent = 0;
  const double mantissa = std::frexp(ulp, &exponent);  // ulp = mantissa * 2^exponent, mantissa from 1/2
  return std::min(kLast, static_cast<size_t>(2 + exponent - (mantissa == 0.5 ? 1 : 0)));
}

class Finder {
 public:
  Finder(const PairView& view, const Dtype& golden, const Dtype& device, at::IntArrayRef sizes,
         const FloatFormat& format, double tolerance)
      : view_(view),
        golden_(golden),
        device_(device),
        sizes_(sizes),
        parts_(parts_of(sizes)),
        format_(format),
        tolerance_(tolerance) {}

  Found piece(int64_t begin, int64_t end) const {
    BlockReader reader(view_, golden_, device_);
    Found found;
    for (const Parts& p : parts_) found.bad_along.emplace_back(p.parts, 0);
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      const double *b = reader.golden(at, count), *d = reader.device_double(at, count);
      const int width = golden_.kind == Kind::kComplex ? 2 : 1;
      for (int64_t i = 0; i < count; ++i) look(b + width * i, d + width * i, width, at + i, found);
    }
    return found;
  }
  const std::vector<Parts>& parts() const { return parts_; }

 private:
  void look(const double* b, const double* d, int width, int64_t place, Found& found) const {
    Element e;
    e.place = place;
    for (int k = 0; k < width; ++k) e.golden[k] = b[k], e.device[k] = d[k];
    const double size = std::hypot(e.golden[0], e.golden[1]);
    const double ae = std::hypot(e.device[0] - e.golden[0], e.device[1] - e.golden[1]);
    double tolerance = tolerance_;
    if (std::isfinite(size) && std::isfinite(ae) && size < format_.overflow) {
      const int exponent = size > 0 ? std::ilogb(size) : format_.min_exponent;
      const double unit = std::ldexp(1.0, std::max(exponent, format_.min_exponent) - format_.mantissa);
      e.ulp = ae / unit;
      tolerance = std::max(tolerance, unit);
    } else {
      e.ulp = alike(e) ? 0 : kInfinity;
    }
    ++found.histogram[bin_of(e.ulp)];
    if (e.ulp == 0) return;
    e.excess = std::isinf(e.ulp) ? kInfinity : ae / tolerance;
    found.add_worst(e);
    if (!(e.excess > 1)) return;
    ++found.bad;
    int64_t rest = place;
    for (size_t i = sizes_.size(); i-- > 0;) {
      ++found.bad_along[i][parts_[i].of(rest % sizes_[i])];
      rest /= sizes_[i];
    }
  }

  /// The same inf or nan, beyond the format's range included.
  bool alike(const Element& e) const {
    for (int k = 0; k < 2; ++k) {
      double b = e.golden[k];
      if (std::abs(b) >= format_.overflow) b = format_.has_infinity ? std::copysign(kInfinity, b) : std::nan("");
      if (b != e.device[k] && !(std::isnan(b) && std::isnan(e.device[k]))) return false;
    }
    return true;
  }

  const PairView& view_;
  const Dtype &golden_, &device_;
  const at::IntArrayRef sizes_;
  const std::vector<Parts> parts_;
  const FloatFormat format_;
  const double tolerance_;
};

std::vector<int64_t> index_of(int64_t place, at::IntArrayRef sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = place % sizes[i];
    place /= sizes[i];
  }
  return index;
}

}  // namespace

outcome::Evidence find_evidence(const at::Tensor& golden, const at::Tensor& device, const FloatFormat& format,
                                double tolerance) {
  const PairView view(golden, device, PairView::Order::kRowMajor);
  const int64_t elements = view.elements();
  const Finder finder(view, dtype_of(golden.scalar_type()), dtype_of(device.scalar_type()), device.sizes(), format,
                      tolerance);
  std::vector<Found> pieces(std::max<int64_t>(1, (elements + kPiece - 1) / kPiece));
  for_each_piece(static_cast<int64_t>(pieces.size()),
                 [&](int64_t i) { pieces[i] = finder.piece(i * kPiece, std::min((i + 1) * kPiece, elements)); });
  Found& all = pieces[0];
  for (size_t i = 1; i < pieces.size(); ++i) all.merge(pieces[i]);

  outcome::Evidence evidence;
  evidence.shape = device.sizes().vec();
  evidence.elements = elements;
  evidence.bad = all.bad;
  evidence.ulp_histogram = all.histogram;
  for (const Element& e : all.worst)
    evidence.worst.push_back(
        {index_of(e.place, device.sizes()), e.golden[0], e.device[0], e.golden[1], e.device[1], e.ulp});
  for (size_t i = 0; i < finder.parts().size(); ++i) {
    const Parts& parts = finder.parts()[i];
    const int64_t slice = parts.size == 0 ? 0 : elements / parts.size;
    std::vector<float> shares;
    for (int64_t p = 0; p < parts.parts; ++p) {
      const double count = static_cast<double>(slice * parts.indices(p));
      shares.push_back(static_cast<float>(static_cast<double>(all.bad_along[i][p]) / count));
    }
    evidence.along.push_back(std::move(shares));
  }
  return evidence;
}

}  // namespace msprobe::metrics
