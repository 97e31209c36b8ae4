// What a person sees: a progress line with counts, rate and ETA; at the end counts, worst rows, slowest APIs, files.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "config/standards.h"
#include "outcome/row.h"
#include "report/options.h"

namespace msprobe::report {

/// Where the terminal draws and what time it is; tests replace it.
struct Console {
  std::FILE* progress = stderr;
  std::FILE* summary = stdout;
  bool live = false;  ///< `progress` is a terminal on which a line can be drawn again
  bool progress_colour = false;
  bool summary_colour = false;
  std::function<size_t()> width;                ///< columns of `progress`, asked for each line
  std::function<double()> clock;                ///< seconds, monotonic
  std::function<void(const std::string&)> log;  ///< takes a line where no terminal is

  /// stderr, stdout, the monotonic clock and the log.
  static Console system();
};

/// Collects outcomes as they are written; draws on stderr (progress, only on a terminal, never with TERM=dumb or quiet;
/// otherwise a log line every 5 % or 60 s) and prints the summary to stdout. Colour obeys NO_COLOR / CLICOLOR_FORCE.
class Terminal {
 public:
  Terminal(const Options& options, const config::Standards& standards, size_t total_apis);
  Terminal(const Options& options, const config::Standards& standards, size_t total_apis, Console console);
  /// Wipes the progress line when one stands.
  ~Terminal();
  void done(const outcome::ApiOutcome& outcome,
            double cost_fraction);  ///< cost_fraction: share of the estimated work done
  /// Draws again when it is time to: lets the clock run on while an API takes long. Cheap; may be called often.
  void tick();
  /// Counts by verdict, the ten worst rows with figures beside limits, ten slowest APIs, a command that repeats each
  /// failing API alone, the paths, and where an API failed `rerun_command`, which repeats all of them. With quiet: the
  /// counts, the paths and that command. Says loudly when everything was skipped.
  /// `beginnings`: lines on where inf, nan and zeros began in the recorded run; not with quiet.
  void summary(const std::string& result_path, const std::string& details_path, const std::string& repeat_command,
               const std::string& rerun_command, const std::string& beginnings = "");
  int64_t count(outcome::Status status, bool backward) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::report
