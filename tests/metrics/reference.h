// The figures of the documented profile written down as plainly as they are defined: one element at a time, sums in
// long double.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "support.h"

namespace msprobe::metrics::test {

/// The nearest number of a 16-bit or 8-bit type, ties to the even pattern, found among all of them.
class Nearest {
 public:
  explicit Nearest(at::ScalarType type) {
    const bool wide = c10::elementSize(type) == 2;
    const int patterns = wide ? 65536 : 256;
    at::Tensor all = at::arange(patterns, at::kInt).to(wide ? at::kShort : at::kByte).view(type).to(at::kDouble);
    const double* values = all.const_data_ptr<double>();
    for (int pattern = 0; pattern < patterns / 2; ++pattern) {
      if (std::isfinite(values[pattern])) sizes_.push_back({values[pattern], pattern});
      has_infinity_ |= std::isinf(values[pattern]);
    }
    // What would come next if the format went on.
    const double last = sizes_.back().first, step = last - sizes_[sizes_.size() - 2].first;
    next_ = last + step;
    next_even_ = (sizes_.back().second + 1) % 2 == 0;
  }
  double operator()(double x) const {
    if (std::isnan(x)) return x;
    const double size = std::abs(x), beyond = has_infinity_ ? kInf : kNan;
    const auto above = std::lower_bound(sizes_.begin(), sizes_.end(), std::make_pair(size, -1));
    double result;
    if (above == sizes_.end()) {
      const double last = sizes_.back().first, up = next_ - size, down = size - last;
      result = up < down || (up == down && next_even_) || size >= next_ ? beyond : last;
    } else if (above->first == size || above == sizes_.begin()) {
      result = above->first;
    } else {
      const auto below = above - 1;
      const double up = above->first - size, down = size - below->first;
      result = up < down || (up == down && above->second % 2 == 0) ? above->first : below->first;
    }
    return std::copysign(result, x);
  }

 private:
  std::vector<std::pair<double, int>> sizes_;
  double next_ = 0;
  bool next_even_ = false, has_infinity_ = false;
};

inline double cast(double x, at::ScalarType type) {
  if (type == at::kDouble) return x;
  if (type == at::kFloat) return static_cast<double>(static_cast<float>(x));
  static std::map<at::ScalarType, Nearest> tables;
  const auto found = tables.try_emplace(type, type).first;
  return found->second(x);
}

struct Format {
  int mantissa, emin;
  double max;
};
inline std::optional<Format> ulp_format(at::ScalarType type) {
  if (type == at::kHalf) return Format{10, -14, 65504};
  if (type == at::kBFloat16) return Format{7, -126, 3.3895313892515355e38};
  if (type == at::kFloat) return Format{23, -126, 3.4028234663852886e38};
  if (type == at::kFloat8_e4m3fn) return Format{3, -6, 448};
  if (type == at::kFloat8_e5m2) return Format{2, -14, 57344};
  const std::string name = c10::toString(type);  // later versions of LibTorch have these
  if (name == "Float8_e4m3fnuz") return Format{3, -7, 240};
  if (name == "Float8_e5m2fnuz") return Format{2, -15, 57344};
  return std::nullopt;
}

using Figures = std::array<std::optional<double>, outcome::kFigureCount>;

inline Figures reference(const std::vector<double>& golden, const std::vector<double>& device, at::ScalarType type,
                         bool binary) {
  const std::string name = type == at::kHalf ? "float16" : type == at::kBFloat16 ? "bfloat16" : "float32";
  const auto p = [](int e) { return std::ldexp(1.0, e); };
  // The user guide's and the specification's numbers, not the file's.
  const double eps = type == at::kHalf ? p(-23) : type == at::kBFloat16 ? p(-7) : p(-52);
  const double small_value = type == at::kHalf ? p(-11) : type == at::kBFloat16 ? p(-8) : p(-14);
  const double atol = type == at::kHalf || type == at::kBFloat16 ? p(-16) : p(-30);
  const double rtol = type == at::kHalf ? p(-10) : type == at::kBFloat16 ? p(-8) : p(-20);
  const auto format = ulp_format(type);
  const double largest = format ? format->max : std::numeric_limits<double>::max();
  const double ulp_limit = type == at::kFloat ? 32 : 1;

  const long double n = golden.size();
  long double shares[3] = {}, small = 0, small_wrong = 0, normal = 0, finite = 0, relative_wrong = 0, inf_nan_wrong = 0;
  long double above = 0, below = 0, differ = 0, ulp_above = 0, re_sum = 0, square = 0, ulp_sum = 0;
  long double agreeing = 0, dot = 0, bb = 0, dd = 0, scale_b = 0, scale_d = 0;
  double max_abs = 0, max_re = 0, max_ulp = 0;
  bool special = false;
  const auto all_zero = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return x == 0; });
  };
  for (size_t i = 0; i < golden.size(); ++i) {
    if (std::isfinite(golden[i]) && std::isfinite(device[i])) {
      scale_b = std::max<long double>(scale_b, std::abs(golden[i]));
      scale_d = std::max<long double>(scale_d, std::abs(device[i]));
    } else {
      special = true;
    }
  }
  for (size_t i = 0; i < golden.size(); ++i) {
    const double b = golden[i], d = device[i], r = cast(b, type);
    if (std::isfinite(b) && std::isfinite(d)) {
      if (scale_b > 0) bb += (b / scale_b) * (b / scale_b);
      if (scale_d > 0) dd += (d / scale_d) * (d / scale_d);
      if (scale_b > 0 && scale_d > 0) dot += (b / scale_b) * (d / scale_d);
    }
    above += d > r;
    below += d < r;
    const bool is_finite = std::isfinite(d) && std::isfinite(r);
    const bool agree = !is_finite && ((std::isnan(d) && std::isnan(r)) || (std::isinf(d) && d == r));
    if (agree) {
      ++agreeing;
      continue;
    }
    differ += d != r;
    if (!is_finite) {
      max_abs = kInf;
      ++ulp_above;
      const double cb = std::clamp(b, -largest, largest), cd = std::clamp(d, -largest, largest);
      const bool near = std::abs(cd - cb) / (std::abs(cb) + eps) <= rtol;
      inf_nan_wrong += !near;
      continue;
    }
    ++finite;
    const double ae = std::abs(d - b), re = ae / (std::abs(b) + eps);
    max_abs = std::max(max_abs, ae);
    shares[0] += re < 0.01;
    shares[1] += re < 0.001;
    shares[2] += re < 0.0001;
    if (std::abs(b) <= small_value) {
      ++small;
      small_wrong += ae > atol;
    } else {
      ++normal;
      re_sum += re;
      square += static_cast<long double>(ae) * ae;
      max_re = std::max(max_re, re);
      relative_wrong += re > rtol;
    }
    if (format) {
      int e = b == 0 ? 0 : std::max(std::ilogb(b), format->emin);
      const double ulp = std::ldexp(ae, format->mantissa - e);
      ulp_sum += ulp;
      max_ulp = std::max(max_ulp, ulp);
      ulp_above += ulp > ulp_limit;
    }
  }

  Figures out;
  const auto set = [&](outcome::Figure f, long double value) { out[static_cast<int>(f)] = static_cast<double>(value); };
  const auto ratio = [](long double part, long double whole) { return whole == 0 ? 0 : part / whole; };
  if (golden.size() > 1 && !all_zero(golden) && !all_zero(device)) {
    // Over what is finite on both sides, of which there must be two for a direction.
    const bool direction = scale_b > 0 && scale_d > 0 && (!special || finite >= 2);
    set(outcome::Figure::kCosine,
        direction ? std::clamp<long double>(dot / (std::sqrt(bb) * std::sqrt(dd)), -1, 1) : kNan);
  }
  set(outcome::Figure::kMaxAbs, max_abs);
  set(outcome::Figure::kHundredth, agreeing == n ? 1 : shares[0] / (n - agreeing));
  set(outcome::Figure::kThousandth, agreeing == n ? 1 : shares[1] / (n - agreeing));
  set(outcome::Figure::kTenThousandth, agreeing == n ? 1 : shares[2] / (n - agreeing));
  if (binary) set(outcome::Figure::kBinaryErrorRate, differ / n);
  set(outcome::Figure::kBalance, std::abs(above - below) / n);
  set(outcome::Figure::kRmse, std::sqrt(ratio(square, normal)));
  set(outcome::Figure::kSmallValueErrorRate, ratio(small_wrong, small));
  set(outcome::Figure::kMaxRelative, max_re);
  set(outcome::Figure::kMeanRelative, ratio(re_sum, normal));
  set(outcome::Figure::kInfNanErrorRate, inf_nan_wrong / n);
  set(outcome::Figure::kRelativeErrorRate, ratio(relative_wrong, normal));
  set(outcome::Figure::kAbsoluteErrorRate, ratio(small_wrong, small));
  if (format) {
    set(outcome::Figure::kMaxUlp, max_ulp);
    set(outcome::Figure::kMeanUlp, ratio(ulp_sum, finite));
    set(outcome::Figure::kUlpShare, ulp_above / n);
  }
  return out;
}

}  // namespace msprobe::metrics::test
