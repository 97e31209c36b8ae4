// What a dump records of the values of a tensor or number. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/record.h"

namespace msprobe::overview {

enum class Extent {
  kFinite,
  kInfinite,  ///< the least or the largest is
  kNan,
  kUnknown,  ///< nothing was recorded (float8, older dumpers)
};

struct Range {
  std::string position;  ///< as in the results: "input.0", "kwargs.other", "output.1", of lists "input.0.2"
  std::string dtype;     ///< as recorded; empty: a Python number
  std::vector<int64_t> shape;
  bool floating = false;            ///< real floating dtype, or a Python float
  std::optional<double> low, high;  ///< Min and Max; of complex numbers the modulus
  std::optional<double> norm;

  bool is_tensor() const { return !dtype.empty(); }
  bool has_elements() const;
  /// Of a tensor without elements: kFinite.
  Extent extent() const;
  /// The larger of both absolute values; nothing: unknown. nan goes before inf.
  std::optional<double> largest() const;
  bool all_zero() const { return low && high && *low == 0 && *high == 0; }
  /// All elements may differ: a constant's do not.
  bool varies() const { return low && high && *low != *high; }
};

/// Tensors and numbers of a list, those inside of lists and dicts too, in order.
std::vector<Range> ranges_of(const dump::ArgumentList& list, std::string_view position);
/// The same of a call's arguments.
std::vector<Range> ranges_of(const dump::ForwardRecord& forward);

/// "1.77344", "1e+08", "inf", "nan".
std::string number_text(double value);

}  // namespace msprobe::overview
