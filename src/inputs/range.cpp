#include "inputs/range.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "inputs/value.h"
#include "util/error.h"
#include "util/float_limits.h"

namespace msprobe::inputs {
namespace {

using dump::Dtype;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::string text_of(T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string text_of(Int128 value) {
  return value > std::numeric_limits<int64_t>::max() ? text_of(static_cast<uint64_t>(value))
                                                     : text_of(static_cast<int64_t>(value));
}

template <class T>
std::string interval(T low, T high) {
  return std::string("[").append(text_of(low)).append(", ").append(text_of(high)).append("]");
}

void note(const RangeContext& context, const std::string& text) {
  if (context.notes) context.notes->push_back(context.label + ": " + text);
}

void refuse_text(const dump::Statistic& statistic, const char* name, const RangeContext& context) {
  constexpr size_t kShown = 60;
  if (const auto* other = std::get_if<dump::OtherText>(&statistic))
    throw Error(context.label, std::string(name) + " is " + other->text.substr(0, kShown) + ", expected a number",
                "record the dump again");
}

/// nullopt: absent or null.
std::optional<double> as_double(const dump::Statistic& statistic) {
  if (const auto* b = std::get_if<bool>(&statistic)) return *b ? 1.0 : 0.0;
  if (const auto* i = std::get_if<int64_t>(&statistic)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&statistic)) return *d;
  return std::nullopt;
}

bool is_finite_number(const dump::Statistic& statistic) {
  const auto value = as_double(statistic);
  return value && std::isfinite(*value);
}

/// The statistic that bounds the draw: without inf and nan where that is recorded.
const dump::Statistic& bound(const dump::Statistic& plain, const dump::Statistic& finite_only) {
  return is_finite_number(finite_only) ? finite_only : plain;
}

void refuse_texts(const dump::TensorMeta& meta, const RangeContext& context) {
  refuse_text(meta.max, "Max", context);
  refuse_text(meta.min, "Min", context);
  refuse_text(meta.max_except_inf_nan, "Max_except_inf_nan", context);
  refuse_text(meta.min_except_inf_nan, "Min_except_inf_nan", context);
}

/// What stands in for a bound that is infinite or nan, given the other, finite one. Where -+max(1, |m|) is no range (m
/// beyond 1 on the side of the lost bound), the range is as wide as m.
double upper_for(double low) {
  return low >= 1 ? 2 * low : std::max(1.0, std::abs(low));
}
double lower_for(double high) {
  return high <= -1 ? 2 * high : -std::max(1.0, std::abs(high));
}

}  // namespace

bool is_floating(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
    case Dtype::kFloat32:
    case Dtype::kFloat64:
    case Dtype::kFloat8E4m3fn:
    case Dtype::kFloat8E4m3fnuz:
    case Dtype::kFloat8E5m2:
    case Dtype::kFloat8E5m2fnuz:
    case Dtype::kFloat8E8m0fnu:
      return true;
    default:
      return false;
  }
}

bool is_complex(Dtype dtype) {
  return dtype == Dtype::kComplex32 || dtype == Dtype::kComplex64 || dtype == Dtype::kComplex128;
}

double highest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
    case Dtype::kComplex32:
      return util::kLargestFloat16;
    case Dtype::kBfloat16:
      return util::kLargestBfloat16;
    case Dtype::kFloat32:
    case Dtype::kComplex64:
      return util::kLargestFloat32;
    case Dtype::kFloat8E4m3fn:
      return util::kLargestFloat8E4m3fn;
    case Dtype::kFloat8E4m3fnuz:
      return util::kLargestFloat8E4m3fnuz;
    case Dtype::kFloat8E5m2:
    case Dtype::kFloat8E5m2fnuz:
      return util::kLargestFloat8E5m2;
    case Dtype::kFloat8E8m0fnu:
      return util::kLargestFloat8E8m0fnu;
    default:
      return std::numeric_limits<double>::max();
  }
}

double lowest(Dtype dtype) {
  return dtype == Dtype::kFloat8E8m0fnu ? util::kSmallestFloat8E8m0fnu : -highest(dtype);
}

IntegerRange integer_limits(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
      return {0, 1};
    case Dtype::kUint8:
    case Dtype::kUint16:
    case Dtype::kUint32:
    case Dtype::kUint64:
      return {0, (Int128{1} << (8 * dump::dtype_size(dtype))) - 1};
    default: {
      const Int128 half = Int128{1} << (8 * dump::dtype_size(dtype) - 1);
      return {-half, half - 1};
    }
  }
}

double round_to(Dtype dtype, double value) {
  value = std::clamp(value, lowest(dtype), highest(dtype));
  const auto single = static_cast<float>(value);
  switch (dtype) {
    case Dtype::kFloat64:
    case Dtype::kComplex128:
      return value;
    case Dtype::kFloat32:
    case Dtype::kComplex64:
      return single;
    case Dtype::kFloat16:
    case Dtype::kComplex32:
      return static_cast<float>(c10::Half(single));
    case Dtype::kBfloat16:
      return static_cast<float>(c10::BFloat16(single));
    default:
      break;
  }
  // float8: by LibTorch's own conversion, which is what the tensor's elements go through too.
  const auto target = parse_scalar_type(dump::dtype_name(dtype));
  return target ? at::scalar_tensor(single, at::kFloat).to(*target).to(at::kDouble).item<double>() : value;
}

std::optional<Int128> as_integer(const dump::Statistic& statistic, const IntegerRange& limits) {
  if (const auto* b = std::get_if<bool>(&statistic)) return std::clamp<Int128>(*b, limits.low, limits.high);
  if (const auto* i = std::get_if<int64_t>(&statistic)) return std::clamp<Int128>(*i, limits.low, limits.high);
  const auto* d = std::get_if<double>(&statistic);
  if (!d || std::isnan(*d)) return std::nullopt;
  constexpr double kBeyondAll = 0x1p65;
  if (*d >= kBeyondAll) return limits.high;
  if (*d <= -kBeyondAll) return limits.low;
  return std::clamp(static_cast<Int128>(*d), limits.low, limits.high);
}

namespace {

/// The range where Max or Min is missing or nan. The finite bound beside a nan counts, as for floating-point tensors.
IntegerRange without_bound(const dump::TensorMeta& meta, const IntegerRange& limits, const RangeContext& context) {
  auto [from, to] = context.default_range;
  const auto min = as_double(meta.min), max = as_double(meta.max);
  if (min && max && std::isfinite(*min)) {
    from = *min;
    to = upper_for(*min);
  } else if (min && max && std::isfinite(*max)) {
    from = lower_for(*max);
    to = *max;
  }
  const IntegerRange range{*as_integer(std::min(from, to), limits), *as_integer(std::max(from, to), limits)};
  std::string found;
  for (const auto& [name, statistic] : {std::pair("Max", &meta.max), std::pair("Min", &meta.min)})
    if (const auto value = as_double(*statistic))
      found += (found.empty() ? "" : ", ") + std::string(name) + " is " + text_of(*value);
  note(context, (found.empty() ? "no Max/Min recorded" : found) + ", drawn from " + interval(range.low, range.high));
  return range;
}

}  // namespace

IntegerRange integer_range(const dump::TensorMeta& meta, Dtype dtype, const RangeContext& context) {
  refuse_texts(meta, context);
  const IntegerRange limits = integer_limits(dtype);
  const dump::Statistic &min = bound(meta.min, meta.min_except_inf_nan),
                        &max = bound(meta.max, meta.max_except_inf_nan);
  const auto low = as_integer(min, limits), high = as_integer(max, limits);
  if (!low || !high) return without_bound(meta, limits, context);
  if (dtype == Dtype::kBool) return {std::min(*low, *high), std::max(*low, *high)};
  constexpr Int128 kAny = Int128{1} << 100;
  if (*low != as_integer(min, {-kAny, kAny}) || *high != as_integer(max, {-kAny, kAny}))
    note(context, "recorded range cut to " + std::string(dump::dtype_name(dtype)) + "'s, " + interval(*low, *high));
  if (*low > *high) note(context, "recorded Max lies below Min, taken in order");
  return {std::min(*low, *high), std::max(*low, *high)};
}

FloatRange float_range(const dump::TensorMeta& meta, Dtype dtype, const RangeContext& context) {
  refuse_texts(meta, context);
  const bool mindstudio = context.profile == config::Profile::kMindstudio;
  const auto low = as_double(bound(meta.min, meta.min_except_inf_nan));
  const auto high = as_double(bound(meta.max, meta.max_except_inf_nan));
  const double min = as_double(meta.min).value_or(low.value_or(0)),
               max = as_double(meta.max).value_or(high.value_or(0));
  FloatRange range;
  range.nan_in_middle = std::isnan(min) || std::isnan(max);

  // Bounds that can be drawn between, and what had to be assumed for them.
  std::string found;
  if (range.nan_in_middle && mindstudio) {
    range.all = range.first = range.last = range.single = kNan;
    note(context, "nan recorded, all elements are nan");
    return range;
  }
  if (!low || !high) {
    std::tie(range.low, range.high) = std::minmax(context.default_range[0], context.default_range[1]);
    found = range.nan_in_middle ? "nan recorded, one planted" : "no Max/Min recorded";
  } else {
    if (std::isinf(min) && min == max) {
      range.all = range.first = range.last = range.single = max;
      note(context, "Max and Min are " + text_of(max) + ", all elements are");
      return range;
    }
    const bool low_known = std::isfinite(*low), high_known = std::isfinite(*high);
    if (mindstudio && !(low_known && high_known)) {
      range.all = range.first = range.single = max;
      range.last_row = range.last = min;
      note(context, "Max is " + text_of(max) + ", Min is " + text_of(min) + ": all elements Max, the last row Min");
      return range;
    }
    range.low = low_known ? *low : high_known ? lower_for(*high) : context.default_range[0];
    range.high = high_known ? *high : low_known ? upper_for(*low) : context.default_range[1];
    if (range.nan_in_middle)
      found = "nan recorded, one planted";
    else if (!std::isfinite(min) || !std::isfinite(max))
      found = (std::isfinite(min)   ? "Max is " + text_of(max)
               : std::isfinite(max) ? "Min is " + text_of(min)
                                    : "Max is " + text_of(max) + ", Min is " + text_of(min)) +
              ", planted once";
  }

  if (range.low > range.high) {
    std::swap(range.low, range.high);
    note(context, "recorded Max lies below Min, taken in order");
  }
  if (is_complex(dtype)) {  // a modulus
    range.low = std::max(0.0, range.low);
    range.high = std::max(range.low, range.high);
  }
  const bool wider = range.low < lowest(dtype) || range.high > highest(dtype);
  range.low = round_to(dtype, range.low);
  range.high = round_to(dtype, range.high);
  if (!found.empty())
    note(context, found + ", drawn from " + interval(range.low, range.high));
  else if (wider)
    note(context,
         "recorded range cut to " + std::string(dump::dtype_name(dtype)) + "'s, " + interval(range.low, range.high));
  range.first = std::isinf(min) ? min : range.low;
  range.last = std::isinf(max) ? max : range.high;
  range.single = range.nan_in_middle ? kNan : range.last;
  return range;
}

}  // namespace msprobe::inputs
