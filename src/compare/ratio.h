// NPU figure over GPU figure.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace msprobe::compare {

/// Whether both figures can be divided, or are the same inf (sign counts) or both nan, or differ in that.
enum class Agreement { kFinite, kSame, kDiffer };

inline Agreement agreement(double npu, double gpu) {
  if (std::isfinite(npu) && std::isfinite(gpu)) return Agreement::kFinite;
  if (std::isnan(npu) && std::isnan(gpu)) return Agreement::kSame;
  return npu == gpu ? Agreement::kSame : Agreement::kDiffer;
}

struct Ratio {
  Agreement agreement;
  double value;  ///< |npu| / max(|gpu|, floor); nan unless both are finite
};

inline Ratio ratio(double npu, double gpu, double floor) {
  const Agreement how = agreement(npu, gpu);
  if (how != Agreement::kFinite) return {how, std::numeric_limits<double>::quiet_NaN()};
  return {how, std::abs(npu) / std::max(std::abs(gpu), floor)};
}

/// Whether the plain ratio, without any floor, is beyond `limit`; 0 over 0 is not. Both are finite.
inline bool beyond(double npu, double gpu, double limit) {
  return std::abs(npu) > limit * std::abs(gpu);
}

}  // namespace msprobe::compare
