// The progress of a run: one line that is drawn again on a terminal, or a log line now and then.
#pragma once
#include <string>
#include <string_view>

#include "report/tally.h"
#include "report/terminal.h"

namespace msprobe::report {

/// "40 s", "3 min 05 s", "2 h 07 min", "3 d 04 h".
std::string duration_text(double seconds);

class Progress {
 public:
  /// `enabled` false: draws and logs nothing.
  Progress(const Console& console, size_t total, bool enabled);
  /// After each API; `fraction` is the share of the work that is done.
  void update(const Tally& tally, double fraction, std::string_view api);
  /// Draws the last state with the time that it is now.
  void tick();
  /// Wipes the line from the terminal.
  void clear();

 private:
  void draw(double now);
  void log(double now);
  std::string counts(bool coloured) const;
  std::string rate_and_eta(double now) const;

  const Console& console_;
  size_t total_;
  bool enabled_;
  double start_, last_shown_;
  bool standing_ = false;  ///< a line stands on the terminal
  Tally tally_;
  double fraction_ = 0, logged_fraction_ = 0;
  std::string api_;
};

}  // namespace msprobe::report
