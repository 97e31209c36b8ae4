// Integer and bool outputs: compared element by element, exactly.
#pragma once
#include <cstdint>
#include <string>

#include "metrics/dtype.h"
#include "metrics/pair_view.h"

namespace msprobe::metrics {

struct IntegerDifferences {
  int64_t differ = 0;    ///< elements that are not equal
  double largest = 0;    ///< largest |d - b|, exact up to the one rounding to double (int64 against uint64 included)
  bool constant = true;  ///< every golden element equals the first
};

/// Any mix of integer types and bool (true = 1).
IntegerDifferences compare_integers(const PairView& view, const Dtype& golden, const Dtype& device);

/// One element as Python writes it: "-3", "True".
std::string integer_text(const Dtype& dtype, const void* element);

}  // namespace msprobe::metrics
