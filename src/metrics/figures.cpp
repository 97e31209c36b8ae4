#include "metrics/figures.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace msprobe::metrics {
namespace {

using outcome::Figure;

using Value = std::optional<double>;

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double printed(double value, const Subject& s) {
  return s.single ? as_numpy_prints(value) : value;
}

/// dot / (|b| |d|), each sum with a power of two of its own.
double cosine_of(const Partial& p) {
  const double norms = std::sqrt(p.golden_square.mantissa()) * std::sqrt(p.device_square.mantissa());
  return std::ldexp(p.dot.mantissa() / norms,
                    p.dot.exponent() - p.golden_square.exponent() / 2 - p.device_square.exponent() / 2);
}

Value max_abs(const Partial& p, const Subject& s) {
  if (p.disagree > 0) return std::numeric_limits<double>::infinity();
  return printed(p.max_abs, s);
}

Value rmse(const Partial& p, const Subject& s) {
  if (s.mindstudio()) {
    const double n = static_cast<double>(p.elements);
    return std::sqrt(p.numpy_mean_square * (n / (static_cast<double>(p.normal()) + 0.0001) + 0.0001));
  }
  if (p.normal() == 0) return 0;
  return std::ldexp(std::sqrt(p.square.mantissa() / static_cast<double>(p.normal())), p.square.exponent() / 2);
}

Value mean_relative(const Partial& p, const Subject& s) {
  if (s.mindstudio()) return printed(p.numpy_mean_relative, s);
  if (p.normal() == 0) return 0;
  // The sum may lie beyond a double where its mean does not.
  return std::ldexp(p.relative.mantissa() / static_cast<double>(p.normal()), p.relative.exponent());
}

/// A share of all elements, or, where some are the same inf or nan on both sides, of the others.
double share_of_finite(int64_t part, const Partial& p, const Subject& s) {
  if (s.mindstudio()) return share(part, p.elements);
  const int64_t agree = p.agree();
  return agree == p.elements ? 1 : share(part - agree, p.elements - agree);
}

/// MindStudio divides by the elements that are not finite; the user guide by all.
Value inf_nan_rate(const Partial& p, const Subject& s) {
  return share(p.inf_nan_wrong, s.mindstudio() ? p.elements - p.finite : p.elements);
}

}  // namespace

const std::array<FigureRule, outcome::kFigureCount> kFigures = {{
    {Figure::kCosine, Group::kStatus, [](const Partial& p, const Subject& s) { return cosine(p, s).value; }},
    {Figure::kMaxAbs, Group::kStatus, max_abs},
    {Figure::kHundredth, Group::kStatus,
     [](const Partial& p, const Subject& s) -> Value { return share_of_finite(p.hundredth, p, s); }},
    {Figure::kThousandth, Group::kStatus,
     [](const Partial& p, const Subject& s) -> Value { return share_of_finite(p.thousandth, p, s); }},
    {Figure::kTenThousandth, Group::kStatus,
     [](const Partial& p, const Subject& s) -> Value { return share_of_finite(p.ten_thousandth, p, s); }},
    {Figure::kBinaryErrorRate, Group::kBinary,
     [](const Partial& p, const Subject&) -> Value { return share(p.differ, p.elements); }},
    {Figure::kBalance, Group::kBenchmark,
     [](const Partial& p, const Subject& s) -> Value {
       if (s.device.kind == Kind::kComplex) return std::nullopt;  // complex numbers have no order
       return share(std::abs(p.above - p.below), p.elements);
     }},
    {Figure::kRmse, Group::kBenchmark, rmse},
    {Figure::kSmallValueErrorRate, Group::kBenchmark,
     [](const Partial& p, const Subject&) -> Value { return share(p.small_wrong, p.small); }},
    {Figure::kMaxRelative, Group::kBenchmark,
     [](const Partial& p, const Subject& s) -> Value { return printed(p.max_relative, s); }},
    {Figure::kMeanRelative, Group::kBenchmark, mean_relative},
    {Figure::kInfNanErrorRate, Group::kAbsolute, inf_nan_rate},
    {Figure::kRelativeErrorRate, Group::kAbsolute,
     [](const Partial& p, const Subject&) -> Value { return share(p.relative_wrong, p.normal()); }},
    {Figure::kAbsoluteErrorRate, Group::kAbsolute,
     [](const Partial& p, const Subject&) -> Value { return share(p.absolute_wrong, p.small); }},
    {Figure::kMaxUlp, Group::kUlp, [](const Partial& p, const Subject&) -> Value { return p.max_ulp; }},
    {Figure::kMeanUlp, Group::kUlp,
     [](const Partial& p, const Subject&) -> Value {
       return p.finite == 0 ? 0 : p.ulp.value() / static_cast<double>(p.finite);
     }},
    {Figure::kUlpShare, Group::kUlp,
     [](const Partial& p, const Subject&) -> Value { return share(p.ulp_above, p.elements); }},
}};

bool fills(Group group, const Subject& s) {
  if (group == Group::kStatus) return true;
  if (s.mindstudio()) {
    return (group == Group::kBenchmark && s.filled == config::Algorithm::kBenchmark) ||
           (group == Group::kAbsolute && s.filled == config::Algorithm::kAbsolute) ||
           (group == Group::kUlp && s.filled == config::Algorithm::kUlp);
  }
  if (group == Group::kBinary) return s.algorithm == config::Algorithm::kBinary;
  return group != Group::kUlp || s.ulp;
}

void finish(const Partial& sums, const Subject& subject, outcome::Row& row) {
  for (const FigureRule& rule : kFigures) {
    if (fills(rule.group, subject)) row[rule.figure] = rule.finish(sums, subject);
  }
}

Cosine cosine(const Partial& p, const Subject& s) {
  if (p.elements == 1) return {std::nullopt, true, "one element has no cosine"};
  // numpy's maximum is nan where an element is: neither zero nor above it.
  const double zero = s.mindstudio() ? std::numeric_limits<double>::epsilon() : 0;
  const bool no_golden = p.max_golden <= zero && p.golden_special == 0;
  const bool no_device = p.max_device <= zero && p.device_special == 0;
  if (no_golden && no_device) return {std::nullopt, true, "both sides are all 0"};
  if (no_device) return {std::nullopt, false, "the device's output is all 0, the golden's is not"};
  if (no_golden) return {std::nullopt, false, "the golden output is all 0, the device's is not"};
  // To numpy a nan anywhere is a nan here. Else what both sides share says nothing of the others.
  const bool special = p.golden_special + p.device_special > 0;
  if (special && (s.mindstudio() || p.finite < 2)) return {std::nan(""), true, ""};
  const double value = p.numpy ? p.numpy_cosine : cosine_of(p);
  if (std::isnan(value)) return {std::nan(""), true, ""};
  return {std::clamp(value, -1.0, 1.0), true, ""};
}

double as_numpy_prints(double single) {
  if (!std::isfinite(single)) return single;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(single)).ptr;
  double value = single;
  std::from_chars(digits, end, value);
  return value;
}

}  // namespace msprobe::metrics
