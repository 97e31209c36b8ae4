// Which rows of a run are worst, and by which figure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/standards.h"
#include "outcome/row.h"

namespace msprobe::report {

/// Why a row is an error or a warning.
struct Finding {
  std::string text;  ///< `双千指标 0.95 <= 0.999`; the row's message when no figure decided
  double excess;     ///< how far beyond its limit: 1 = at it; inf when the limit is 0 or no figure decided
};

/// The figure that decided the row's status, by the rules of a row's status in their order. Only for errors and
/// warnings.
Finding find_reason(const outcome::Row& row, const config::Standards& standards);

struct WorstRow {
  outcome::Status status;
  outcome::Assessment assessment;
  double severity;  ///< of a suspect
  std::string name, dtype;
  Finding finding;
  std::optional<double> max_abs;
};

/// Keeps the worst rows: suspects by their severity, then errors before warnings, then by excess, then by the maximum
/// absolute error (nan first), then in the order in which they came.
class WorstRows {
 public:
  WorstRows(const config::Standards& standards, size_t most) : standards_(standards), most_(most) {}
  void add(const outcome::Row& row);
  const std::vector<WorstRow>& rows() const { return rows_; }

 private:
  const config::Standards& standards_;
  size_t most_;
  std::vector<WorstRow> rows_;
};

}  // namespace msprobe::report
