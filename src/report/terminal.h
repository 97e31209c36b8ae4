// What a person sees: a progress line with counts, rate and ETA; at the end counts, worst rows, slowest APIs, files.
#pragma once
#include <cstdio>
#include <memory>
#include <string>

#include "config/settings.h"
#include "config/standards.h"
#include "metrics/row.h"

namespace msprobe::report {

/// Collects outcomes as they are written; draws on stderr (progress, only on a terminal, never with TERM=dumb or quiet;
/// otherwise a log line every 5 % or 60 s) and prints the summary to stdout. Colour obeys NO_COLOR / CLICOLOR_FORCE.
class Terminal {
 public:
  Terminal(const config::Settings& settings, const config::Standards& standards, size_t total_apis);
  ~Terminal();
  void done(const metrics::ApiOutcome& outcome, double cost_fraction);  ///< cost_fraction: share of the estimated work done
  /// Counts by verdict, the ten worst rows with figures beside limits, ten slowest APIs, a command that repeats each failing
  /// API alone, the paths.
  void summary(const std::string& result_path, const std::string& details_path, const std::string& repeat_command);
  int64_t count(metrics::Status status, bool backward) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::report
