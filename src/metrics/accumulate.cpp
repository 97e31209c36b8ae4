#include "metrics/accumulate.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "metrics/blocks.h"
#include "metrics/kernel.h"
#include "metrics/parallel.h"

namespace msprobe::metrics {
namespace {

/// Squares of numbers between these neither overflow nor lose digits, however many are added.
constexpr double kSmallestSquared = 0x1p-480, kLargestSquared = 0x1p480;

bool squares_fit(double max) {
  return max == 0 || (max >= kSmallestSquared && max <= kLargestSquared);
}

/// The relative errors of doubles whose sum, or a difference on the way, overflows: adds those of normal elements to
/// `sum` and returns the largest.
double add_relative(const double* golden, const double* device, int64_t n, const KernelLimits& limits, Sum& sum) {
  constexpr int kDown = 2;  // the difference of two doubles, scaled so, is a double
  double most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = std::abs(golden[i]);
    if (!std::isfinite(device[i]) || !(size < limits.format.overflow) || !(size > limits.small_value)) continue;
    const double ae = std::abs(std::ldexp(device[i], -kDown) - std::ldexp(golden[i], -kDown));
    const double below = size + limits.eps;
    // Divided by a power of two apart, so that a quotient beyond a double's range still counts in the mean.
    const int exponent = std::ilogb(below);
    const double quotient = ae / std::ldexp(below, -exponent);
    sum.add(quotient, kDown - exponent);
    most = std::max(most, std::ldexp(quotient, kDown - exponent));
  }
  return most;
}

/// One kernel call over n elements (a multiple of 8), `padding` of them zeros behind the last.
template <class Device>
void add_lanes(const double* golden, const Device* device, int64_t n, int64_t padding, const KernelLimits& limits,
               Partial& out) {
  const Kernels& k = kernels();
  BlockSums sums;
  constexpr bool kSingle = sizeof(Device) == sizeof(float);
  const auto fast = [&] {
    if constexpr (kSingle) {
      k.fast_single(golden, device, n, limits, sums);
    } else {
      k.fast_double(golden, device, n, limits, sums);
    }
    return std::isfinite(sums.golden_square) && std::isfinite(sums.device_square) &&
           sums.max_golden < limits.format.overflow;
  };
  // Both kernels give the same sums for ordinary numbers; behind one block that was not, the next is tried with the
  // other first.
  if (out.special || !fast()) {
    if constexpr (kSingle) {
      k.special_single(golden, device, n, limits, sums);
    } else {
      k.special_double(golden, device, n, limits, sums);
    }
    out.special = sums.finite < n;
  }
  // A float's relative error, and its square, always fit a double.
  if constexpr (!kSingle)
    if (!std::isfinite(sums.relative)) {
      sums.relative = 0;
      sums.max_relative = add_relative(golden, device, n, limits, out.relative);
    }
  const bool fit = squares_fit(sums.max_golden) && (kSingle || squares_fit(sums.max_device));
  out.add(sums, n, padding, fit);
  if (fit) return;
  if constexpr (kSingle) {
    double widened[kBlock];
    k.single_to_double(device, widened, n);
    add_products(golden, widened, n, limits, out);
  } else {
    add_products(golden, device, n, limits, out);
  }
}

template <class Device>
void add_block(const double* golden, const Device* device, int64_t count, double first, const KernelLimits& limits,
               Partial& out) {
  if (out.constant) out.constant = all_equal(golden, count, first);
  const int64_t whole = count / 8 * 8, rest = count - whole;
  if (whole > 0) add_lanes(golden, device, whole, 0, limits, out);
  if (rest > 0) {
    double last_golden[8] = {};
    Device last_device[8] = {};
    std::memcpy(last_golden, golden + whole, rest * sizeof(double));
    std::memcpy(last_device, device + whole, rest * sizeof(Device));
    add_lanes(last_golden, last_device, 8, 8 - rest, limits, out);
  }
}

/// Runs `block(reader, begin, count, partial)` over all blocks; the pieces are merged in order.
template <class Block>
Partial over_blocks(const PairView& view, const Dtype& golden, const Dtype& device, const Block& block) {
  const int64_t elements = view.elements();
  const auto piece = [&](int64_t begin, int64_t end) {
    BlockReader reader(view, golden, device);
    Partial out;
    for (int64_t at = begin; at < end; at += kBlock) block(reader, at, std::min(kBlock, end - at), out);
    return out;
  };
  if (elements <= kPiece) return piece(0, elements);
  const int64_t pieces = (elements + kPiece - 1) / kPiece;
  std::vector<Partial> parts(pieces);
  for_each_piece(pieces, [&](int64_t i) { parts[i] = piece(i * kPiece, std::min((i + 1) * kPiece, elements)); });
  Partial all = parts[0];
  for (int64_t i = 1; i < pieces; ++i) all.merge(parts[i]);
  return all;
}

/// Size of a complex number, without overflow on the way.
double modulus(double re, double im) {
  return std::hypot(re, im);
}

/// Do two components agree as special values do: both nan, or the same infinity (r: golden rounded to the device's
/// format)?
bool same_kind(double r, double d) {
  return (std::isnan(r) && std::isnan(d)) || r == d || (std::isfinite(r) && std::isfinite(d));
}

/// b rounded to the format, to nearest even; |b| < format.overflow.
double rounded(double b, const FloatFormat& format) {
  if (b == 0) return b;
  const int unit = std::max(std::ilogb(b), format.min_exponent) - format.mantissa;
  return std::ldexp(std::nearbyint(std::ldexp(b, -unit)), unit);
}

/// b with what lies beyond the format as the format has it, enough to tell which kind of number it becomes.
double rounded_for_class(double b, const FloatFormat& format) {
  if (std::abs(b) < format.overflow || std::isnan(b)) return b;
  return format.has_infinity ? std::copysign(INFINITY, b) : NAN;
}

double clipped(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

/// A complex number of the golden and the device's, both finite; size: of the golden.
void add_finite_complex(const double* b, const double* d, double size, const KernelLimits& limits, Partial& out) {
  ++out.finite;
  out.differ += rounded(b[0], limits.format) != d[0] || rounded(b[1], limits.format) != d[1];
  const double ae = modulus(d[0] - b[0], d[1] - b[1]), re = ae / (size + limits.eps);
  out.max_abs = std::max(out.max_abs, ae);
  out.hundredth += re < limits.hundredth;
  out.thousandth += re < limits.thousandth;
  out.ten_thousandth += re < limits.ten_thousandth;
  if (size <= limits.small_value) {
    ++out.small;
    out.small_wrong += ae > limits.small_value_atol;
    out.absolute_wrong += ae > limits.small_value_atol;
  } else {
    out.relative.add(re);
    out.max_relative = std::max(out.max_relative, re);
    out.relative_wrong += re > limits.rtol;
    const int exponent = ae > 0 && std::isfinite(ae) ? std::ilogb(ae) : 0;
    const double scaled = std::ldexp(ae, -exponent);
    out.square.add(scaled * scaled, 2 * exponent);
  }
}

/// Two complex numbers of which one is special in a way that the other is not.
void add_disagreeing_complex(const double* b, const double* d, const KernelLimits& limits, Partial& out) {
  ++out.disagree;
  ++out.differ;
  const double limit = limits.format.max_finite;
  const double c[2] = {clipped(b[0], limit), clipped(b[1], limit)};
  const double off = modulus(clipped(d[0], limit) - c[0], clipped(d[1], limit) - c[1]);
  out.inf_nan_wrong += !(off / (modulus(c[0], c[1]) + limits.eps) <= limits.rtol);
}

/// All of one complex number but the products of its components.
void add_complex(const double* b, const double* d, const KernelLimits& limits, Partial& out) {
  const double r[2] = {rounded_for_class(b[0], limits.format), rounded_for_class(b[1], limits.format)};
  const bool golden_finite = std::isfinite(b[0]) && std::isfinite(b[1]);
  const bool device_finite = std::isfinite(d[0]) && std::isfinite(d[1]);
  out.golden_special += !golden_finite;
  out.device_special += !device_finite;
  const double size = modulus(b[0], b[1]);
  if (golden_finite) out.max_golden = std::max(out.max_golden, size);
  if (device_finite) out.max_device = std::max(out.max_device, modulus(d[0], d[1]));
  if (device_finite && std::isfinite(r[0]) && std::isfinite(r[1])) {
    add_finite_complex(b, d, size, limits, out);
  } else if (same_kind(r[0], d[0]) && same_kind(r[1], d[1])) {
    ++out.hundredth, ++out.thousandth, ++out.ten_thousandth;
  } else {
    add_disagreeing_complex(b, d, limits, out);
  }
}

}  // namespace

void add_products(const double* golden, const double* device, int64_t n, const KernelLimits& limits, Partial& out) {
  constexpr int kDown = 2;  // the difference of two doubles, scaled so, is a double
  // Each sum by the largest of what it adds: beside e^400, which is inf on the device and not in the sum, the squares
  // of ordinary numbers would vanish.
  double max_golden = 0, max_device = 0, max_error = 0;
  const auto usable = [&](int64_t i) { return std::isfinite(golden[i]) && std::isfinite(device[i]); };
  const auto normal = [&](int64_t i) {
    const double size = std::abs(golden[i]);
    return usable(i) && size < limits.format.overflow && size > limits.small_value;
  };
  const auto error = [&](int64_t i) { return std::abs(std::ldexp(device[i], -kDown) - std::ldexp(golden[i], -kDown)); };
  for (int64_t i = 0; i < n; ++i) {
    if (!usable(i)) continue;
    max_golden = std::max(max_golden, std::abs(golden[i]));
    max_device = std::max(max_device, std::abs(device[i]));
    if (normal(i)) max_error = std::max(max_error, error(i));
  }
  const auto exponent = [](double most) { return most > 0 ? std::ilogb(most) : 0; };
  const int eg = exponent(max_golden), ed = exponent(max_device), ee = exponent(max_error);
  for (int64_t i = 0; i < n; ++i) {
    if (!usable(i)) continue;
    const double b = std::ldexp(golden[i], -eg), d = std::ldexp(device[i], -ed);
    out.dot.add(b * d, eg + ed);
    out.golden_square.add(b * b, 2 * eg);
    out.device_square.add(d * d, 2 * ed);
    if (!normal(i)) continue;
    const double ae = std::ldexp(error(i), -ee);
    out.square.add(ae * ae, 2 * (ee + kDown));
  }
}

Partial accumulate_floats(const PairView& view, const Dtype& golden, const Dtype& device, const KernelLimits& limits) {
  double first = 0;
  if (view.elements() > 0) first = *BlockReader(view, golden, device).golden(0, 1);
  if (device.storage == Storage::kDouble) {
    return over_blocks(view, golden, device, [&](BlockReader& reader, int64_t begin, int64_t count, Partial& out) {
      add_block(reader.golden(begin, count), reader.device_double(begin, count), count, first, limits, out);
    });
  }
  return over_blocks(view, golden, device, [&](BlockReader& reader, int64_t begin, int64_t count, Partial& out) {
    add_block(reader.golden(begin, count), reader.device_single(begin, count), count, first, limits, out);
  });
}

Partial accumulate_complex(const PairView& view, const Dtype& golden, const Dtype& device, const KernelLimits& limits) {
  double first_re = 0, first_im = 0;
  if (view.elements() > 0) {
    BlockReader reader(view, golden, device);
    const double* first = reader.golden(0, 1);
    first_re = first[0], first_im = first[1];
  }
  return over_blocks(view, golden, device, [&](BlockReader& reader, int64_t begin, int64_t count, Partial& out) {
    const double *b = reader.golden(begin, count), *d = reader.device_double(begin, count);
    out.elements += count;
    for (int64_t i = 0; i < count; ++i) {
      out.constant &= all_equal(b + 2 * i, 1, first_re) && all_equal(b + 2 * i + 1, 1, first_im);
      add_complex(b + 2 * i, d + 2 * i, limits, out);
    }
    // The components' products: `square` belongs to moduli and is kept apart.
    Partial products;
    add_products(b, d, 2 * count, limits, products);
    out.dot.add(products.dot);
    out.golden_square.add(products.golden_square);
    out.device_square.add(products.device_square);
  });
}

std::optional<Disagreement> first_disagreement(const PairView& view, const Dtype& golden, const Dtype& device,
                                               const FloatFormat& format) {
  BlockReader reader(view, golden, device);
  for (int64_t at = 0; at < view.elements(); at += kBlock) {
    const int64_t count = std::min(kBlock, view.elements() - at);
    const double *b = reader.golden(at, count), *d = reader.device_double(at, count);
    for (int64_t i = 0; i < count; ++i) {
      const double r = rounded_for_class(b[i], format);
      if (!same_kind(r, d[i])) return Disagreement{at + i, b[i], d[i]};
    }
  }
  return std::nullopt;
}

bool is_constant(const PairView& view, const Dtype& golden) {
  alignas(64) char raw[kBlock * 8];
  float floats[kBlock];
  double doubles[kBlock], first = 0;
  for (int64_t at = 0; at < view.elements(); at += kBlock) {
    const int64_t count = std::min(kBlock, view.elements() - at);
    const double* values = as_double(golden, view.golden(at, count, raw), count, floats, doubles);
    if (at == 0) first = values[0];
    if (!all_equal(values, count, first)) return false;
  }
  return true;
}

Zeros count_zeros(const PairView& view, const Dtype& golden, const Dtype& device) {
  const auto zeros = [&](const Dtype& dtype, bool of_golden) {
    const int64_t pieces = (view.elements() + kPiece - 1) / kPiece;
    std::vector<int64_t> counts(pieces, 0);
    for_each_piece(pieces, [&](int64_t piece) {
      alignas(64) char raw[kBlock * 16];
      const int64_t end = std::min((piece + 1) * kPiece, view.elements());
      for (int64_t at = piece * kPiece; at < end; at += kBlock) {
        const int64_t count = std::min(kBlock, end - at);
        const char* bytes =
            static_cast<const char*>(of_golden ? view.golden(at, count, raw) : view.device(at, count, raw));
        // Zero is all bits 0 but for the sign of a floating component.
        const int width = dtype.kind == Kind::kComplex ? dtype.bytes / 2 : dtype.bytes;
        const bool floating = dtype.kind == Kind::kFloat || dtype.kind == Kind::kComplex;
        const uint64_t sign = floating ? uint64_t{1} << (8 * width - 1) : 0;
        for (int64_t i = 0; i < count; ++i) {
          bool zero = true;
          for (int part = 0; part < dtype.bytes; part += width) {
            uint64_t word = 0;
            std::memcpy(&word, bytes + i * dtype.bytes + part, width);
            zero &= (word & ~sign) == 0;
          }
          counts[piece] += zero;
        }
      }
    });
    int64_t all = 0;
    for (int64_t count : counts) all += count;
    return all;
  };
  return {zeros(golden, true), zeros(device, false)};
}

}  // namespace msprobe::metrics
