#include "util/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace msprobe::util {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

bool is_forced(const char* name) {
  const std::string_view value = environment(name);
  return !value.empty() && value != "0";
}

}  // namespace

bool is_live_terminal(int fd) {
  const std::string_view term = environment("TERM");
  return isatty(fd) == 1 && !term.empty() && term != "dumb";
}

bool wants_colour(int fd) {
  if (!environment("NO_COLOR").empty()) return false;
  if (is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR")) return true;
  return is_live_terminal(fd);
}

size_t terminal_width(int fd) {
  constexpr size_t kUsual = 80, kLeast = 20;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<size_t>(size.ws_col, kLeast);
  const long columns = std::strtol(std::string(environment("COLUMNS")).c_str(), nullptr, 10);
  return columns >= static_cast<long>(kLeast) && columns < 10000 ? static_cast<size_t>(columns) : kUsual;
}

}  // namespace msprobe::util
