// From the recorded Max and Min of a tensor to what is drawn: docs/inputs.md#random-data.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "dump/argument.h"
#include "dump/dtype.h"

namespace msprobe::inputs {

/// Holds every int64 and uint64, and their sums.
__extension__ typedef __int128 Int128;

/// Integers (bool: 0 and 1), both ends included. low <= high, both within the dtype.
struct IntegerRange {
  Int128 low = 0, high = 0;
};

/// Floating and complex types (there of the modulus). low <= high, both finite and values of the dtype.
struct FloatRange {
  double low = 0, high = 0;
  std::optional<double> all;       ///< every element is this; nothing is drawn
  std::optional<double> last_row;  ///< with `all`: what the last row of the first dimension holds
  double first = 0, last = 0;      ///< planted at the ends: low and high, or the infinities recorded there
  bool nan_in_middle = false;      ///< one nan planted at element n / 2
  double single = 0;               ///< the value of a tensor with one element
};

bool is_floating(dump::Dtype dtype);  ///< float8 included
bool is_complex(dump::Dtype dtype);
inline bool is_integer(dump::Dtype dtype) {
  return !is_floating(dtype) && !is_complex(dtype);
}

/// Largest and lowest finite value of a floating type; of a complex type's parts.
double highest(dump::Dtype dtype);
double lowest(dump::Dtype dtype);
/// Ends of an integer type (bool: 0 and 1).
IntegerRange integer_limits(dump::Dtype dtype);
/// `value` rounded to a finite value of a floating type, to nearest, ties to even.
double round_to(dump::Dtype dtype, double value);

/// A statistic as an exact integer: fractions cut off, beyond `limits` (infinities too) the nearest end. nullopt for
/// absent, null, nan, and what is no number.
std::optional<Int128> as_integer(const dump::Statistic& statistic, const IntegerRange& limits);

/// What the rules may need besides the record.
struct RangeContext {
  std::array<double, 2> default_range{-1, 1};
  config::Profile profile = config::Profile::kDocumented;
  std::string label;                ///< "input 0", for notes and errors
  std::vector<std::string>* notes;  ///< assumptions are appended here, one line each
};

/// Throw Error when Max or Min (or a *_except_inf_nan that is used) is no number.
IntegerRange integer_range(const dump::TensorMeta& meta, dump::Dtype dtype, const RangeContext& context);
FloatRange float_range(const dump::TensorMeta& meta, dump::Dtype dtype, const RangeContext& context);

}  // namespace msprobe::inputs
