// Colour on a terminal, one rule for all of the program's output.
#pragma once
#include <string>
#include <string_view>

namespace msprobe::util {

/// NO_COLOR (set and not empty) turns colour off; else CLICOLOR_FORCE or FORCE_COLOR (set, not empty, not "0") turns it
/// on; else it is on for a terminal whose TERM is not "dumb" or unset.
bool wants_colour(int fd);
/// True when `fd` is a terminal on which a line can be drawn again.
bool is_live_terminal(int fd);
/// Columns of the terminal behind `fd`; else $COLUMNS; else 80.
size_t terminal_width(int fd);

/// Escape sequences, or nothing when colour is off.
class Style {
 public:
  explicit Style(bool on) : on_(on) {}
  bool on() const { return on_; }
  std::string_view red() const { return pick("\x1b[31m"); }
  std::string_view green() const { return pick("\x1b[32m"); }
  std::string_view yellow() const { return pick("\x1b[33m"); }
  std::string_view cyan() const { return pick("\x1b[36m"); }
  std::string_view bold() const { return pick("\x1b[1m"); }
  std::string_view reset() const { return pick("\x1b[0m"); }

 private:
  std::string_view pick(std::string_view code) const { return on_ ? code : std::string_view(); }
  bool on_;
};

}  // namespace msprobe::util
