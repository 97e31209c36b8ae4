// How long an API is likely to take, from the text of its record: shapes and name, nothing is parsed. Only ratios
// matter: for sharing work out, and for the ETA.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api_facts.h"
#include "dump/index.h"
#include "util/mapped_file.h"

namespace msprobe::plan {

/// Throws Error for a `cost` of config/signatures.yaml that is no family of this program's.
void require_known_families(const config::FactTable& known);

/// Seconds on one core or so. `api`: full name; `forward`: JSON of the forward entry (its first part will do).
double estimated_seconds(std::string_view api, std::string_view forward, bool has_backward);

/// Costs of the APIs of a list, read when asked for: at most 64 KB of a record, none of it kept.
class CostModel {
 public:
  /// `index` must outlive it; `todo`: indices into it. Throws Error when the dump can no longer be read.
  CostModel(const dump::Index& index, std::vector<size_t> todo);
  size_t size() const { return todo_.size(); }
  /// Estimated seconds of the API at `position` of the list. A record that cannot be read any more costs what a small
  /// one does.
  double cost(size_t position) const;
  /// Share of the whole list's cost that its first `written` APIs have; from a sample, so that it is cheap.
  double fraction(size_t written) const;

 private:
  void sample() const;

  const dump::Index& index_;
  std::vector<size_t> todo_;
  util::Descriptor file_;
  mutable std::vector<double> sums_;  ///< cost of the first i * step_ APIs, from one API a step; empty: not yet asked
  size_t step_ = 1;
};

}  // namespace msprobe::plan
