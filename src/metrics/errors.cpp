#include "metrics/errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "metrics/blocks.h"
#include "metrics/parallel.h"
#include "metrics/partial.h"

namespace msprobe::metrics {
namespace {

struct Sums {
  struct Of {
    Sum square, relative;
    double max_relative = 0, max_abs = 0, max_small = 0;
    void add(const ErrorSums::Of& block) {
      square.add(block.square);
      relative.add(block.relative);
      take(block.max_relative, block.max_abs, block.max_small);
    }
    void take(double largest_relative, double largest, double largest_small) {
      max_relative = std::max(max_relative, largest_relative);
      max_abs = std::max(max_abs, largest);
      max_small = std::max(max_small, largest_small);
    }
    void merge(const Of& other) {
      square.add(other.square);
      relative.add(other.relative);
      take(other.max_relative, other.max_abs, other.max_small);
    }
  } device, rounded;
  int64_t finite = 0, normal = 0, zeros = 0, special = 0;

  void add(const ErrorSums& block, int64_t padding) {
    device.add(block.device);
    rounded.add(block.rounded);
    finite += block.finite - padding;
    normal += block.normal;
    zeros += block.zeros;
    special += block.special;
  }
  void merge(const Sums& other) {
    device.merge(other.device);
    rounded.merge(other.rounded);
    finite += other.finite;
    normal += other.normal;
    zeros += other.zeros;
    special += other.special;
  }
  Measure measure(const Of& of, double unit) const {
    Measure m;
    if (finite > 0) m.errors.rms = std::sqrt(of.square.value() / static_cast<double>(finite)) * unit;
    if (normal > 0) m.errors.mean_relative = of.relative.value() / static_cast<double>(normal);
    m.errors.max_relative = of.max_relative;
    m.errors.max_abs = of.max_abs * unit;
    m.max_small = of.max_small * unit;
    return m;
  }
};

template <class Device>
void add_block(const double* golden, const Device* device, int64_t count, const ErrorLimits& limits, Sums& out) {
  const auto kernel = [&](const double* b, const Device* d, int64_t n, int64_t padding) {
    ErrorSums sums;
    if constexpr (sizeof(Device) == sizeof(float))
      kernels().errors_single(b, d, n, limits, sums);
    else
      kernels().errors_double(b, d, n, limits, sums);
    out.add(sums, padding);
  };
  const int64_t whole = count / 8 * 8, rest = count - whole;
  if (whole > 0) kernel(golden, device, whole, 0);
  if (rest == 0) return;
  double last_golden[8] = {};
  Device last_device[8] = {};
  std::memcpy(last_golden, golden + whole, rest * sizeof(double));
  std::memcpy(last_device, device + whole, rest * sizeof(Device));
  kernel(last_golden, last_device, 8, 8 - rest);
}

/// b as the format has it.
double rounded(double b, const FloatFormat& format) {
  if (b == 0 || !std::isfinite(b)) return b;
  if (std::abs(b) >= format.overflow) return format.has_infinity ? std::copysign(INFINITY, b) : NAN;
  const int unit = std::max(std::ilogb(b), format.min_exponent) - format.mantissa;
  return std::ldexp(std::nearbyint(std::ldexp(b, -unit)), unit);
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void add_complex(const double* b, const double* d, const ErrorLimits& limits, Sums& out) {
  const double r[2] = {rounded(b[0], limits.format), rounded(b[1], limits.format)};
  out.zeros += d[0] == 0 && d[1] == 0 && (r[0] != 0 || r[1] != 0);
  const auto is_finite = [](const double* z) { return std::isfinite(z[0]) && std::isfinite(z[1]); };
  if (!is_finite(d) || !is_finite(r)) {
    out.special += !(same(d[0], r[0]) && same(d[1], r[1]));
    return;
  }
  ++out.finite;
  const double scale = limits.scale, size = std::hypot(b[0] * scale, b[1] * scale);
  const bool normal = size >= limits.floor;
  out.normal += normal;
  const auto take = [&](const double* x, Sums::Of& of) {
    const double ae = std::hypot(x[0] * scale - b[0] * scale, x[1] * scale - b[1] * scale), re = ae / size;
    of.square.add(ae * ae);
    if (normal) of.relative.add(re);
    of.take(normal ? re : 0, ae, normal ? 0 : ae);
  };
  take(d, out.device);
  take(r, out.rounded);
}

/// Runs `block(reader, begin, count, part)` over all blocks of the view and merges the parts in order.
template <class Block>
Sums over_blocks(const PairView& view, const Dtype& golden, const Dtype& device, const Block& block) {
  const int64_t elements = view.elements();
  const auto piece = [&](int64_t begin, int64_t end, Sums& out) {
    BlockReader reader(view, golden, device);
    for (int64_t at = begin; at < end; at += kBlock) block(reader, at, std::min(kBlock, end - at), out);
  };
  std::vector<Sums> parts(std::max<int64_t>(1, (elements + kPiece - 1) / kPiece));
  for_each_piece(static_cast<int64_t>(parts.size()),
                 [&](int64_t i) { piece(i * kPiece, std::min((i + 1) * kPiece, elements), parts[i]); });
  for (size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return parts[0];
}

}  // namespace

Measured measure(const PairView& view, const Dtype& golden, const Dtype& device, const FloatFormat& format,
                 const GoldenSize& size) {
  ErrorLimits limits{format, 0, 1};
  // The errors' squares fit a double for every float; a float64 device's numbers are brought near 1.
  const int exponent = size.largest > 0 ? std::ilogb(size.largest) : 0;
  if (device.storage == Storage::kDouble) limits.scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  limits.floor = std::max(size.floor * limits.scale, std::numeric_limits<double>::min());
  const Sums sums = over_blocks(view, golden, device, [&](BlockReader& reader, int64_t at, int64_t n, Sums& out) {
    const double* b = reader.golden(at, n);
    if (golden.kind == Kind::kComplex) {
      const double* d = reader.device_double(at, n);
      for (int64_t i = 0; i < n; ++i) add_complex(b + 2 * i, d + 2 * i, limits, out);
    } else if (device.storage == Storage::kDouble) {
      add_block(b, reader.device_double(at, n), n, limits, out);
    } else {
      add_block(b, reader.device_single(at, n), n, limits, out);
    }
  });
  Measured m;
  m.elements = view.elements();
  m.device = sums.measure(sums.device, 1 / limits.scale);
  m.rounded = sums.measure(sums.rounded, 1 / limits.scale);
  m.device.errors.zeros = sums.zeros;
  m.device.errors.special = sums.special;
  return m;
}

}  // namespace msprobe::metrics
