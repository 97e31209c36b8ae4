// config/diff.yaml: when a figure has moved between two runs (docs/diff.md).
#pragma once
#include <map>
#include <string>

#include "config/standards.h"

namespace msprobe::config {

/// Distances below it count as it.
struct Floor {
  enum class Kind { kNumber, kSmallValueAtol, kRtol, kUlpShareLimit };
  Kind kind = Kind::kNumber;
  double number = 0;  ///< of kNumber

  /// For an output of this dtype ("torch.float16" or "float16"); profile documented.
  double of(std::string_view dtype, const Standards& standards) const;
};

struct DiffLimits {
  double times = 0;  ///< more than so many times is a move
  std::map<std::string, Floor, std::less<>> floors;  ///< by column of the details file
};

/// Throws Error (file, line, remedy): unknown keys, wrong types, keys missing.
DiffLimits load_diff_limits(const std::string& path);

}  // namespace msprobe::config
