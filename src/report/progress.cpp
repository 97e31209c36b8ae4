#include "report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "util/one_line.h"
#include "util/style.h"
#include "util/utf8.h"

namespace msprobe::report {
namespace {

using outcome::Status;

constexpr double kSecondsBetweenDraws = 0.1;
constexpr double kSecondsBetweenLogLines = 60;
constexpr double kLeastSecondsBetweenLogLines = 2;
constexpr double kShareBetweenLogLines = 0.05;
constexpr double kSecondsBeforeEta = 1;  // earlier rates are noise

constexpr std::array kShown = {Status::kPass, Status::kWarning, Status::kError, Status::kSkip};

std::string_view colour_of(Status status, const util::Style& style) {
  switch (status) {
    case Status::kPass:
      return style.green();
    case Status::kWarning:
      return style.yellow();
    case Status::kError:
      return style.red();
    default:
      return style.cyan();
  }
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::clamp(seconds, 0.0, 1e15) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

Progress::Progress(const Console& console, size_t total, bool enabled)
    : console_(console), total_(total), enabled_(enabled), start_(console.clock()), last_shown_(start_) {}

void Progress::update(const Tally& tally, double fraction, std::string_view api) {
  if (!enabled_) return;
  tally_ = tally;
  fraction_ = std::clamp(fraction, 0.0, 1.0);
  api_ = util::one_line(api);
  const double now = console_.clock();
  const bool last = static_cast<size_t>(tally.total) >= total_;
  if (console_.live) {
    if (last || !standing_ || now - last_shown_ >= kSecondsBetweenDraws) draw(now);
    return;
  }
  // A grain of tolerance, so that 20 equal steps of 5 % give 20 lines.
  const bool far = fraction_ - logged_fraction_ >= kShareBetweenLogLines * (1 - 1e-9);
  const double waited = now - last_shown_;
  if (last || (far && waited >= kLeastSecondsBetweenLogLines) || waited >= kSecondsBetweenLogLines) log(now);
}

void Progress::tick() {
  if (!enabled_) return;
  const double now = console_.clock();
  if (console_.live && now - last_shown_ >= kSecondsBetweenDraws) draw(now);
  if (!console_.live && now - last_shown_ >= kSecondsBetweenLogLines) log(now);
}

void Progress::clear() {
  if (!standing_) return;
  std::fputs("\r\x1b[K", console_.progress);
  std::fflush(console_.progress);
  standing_ = false;
}

std::string Progress::counts(bool coloured) const {
  const util::Style style(coloured);
  std::string out;
  for (const Status status : kShown) {
    const int64_t count = tally_.of(status);
    const bool lit = count > 0;
    out += fmt::format("{}{}{} {}{}", out.empty() ? "" : "  ", lit ? colour_of(status, style) : "", status_text(status),
                       count, lit ? style.reset() : "");
  }
  return out;
}

std::string Progress::rate_and_eta(double now) const {
  const double elapsed = now - start_;
  if (elapsed < kSecondsBeforeEta || tally_.total == 0) return "";
  std::string out = fmt::format("  {:.1f} API/s", static_cast<double>(tally_.total) / elapsed);
  if (fraction_ > 0 && fraction_ < 1) out += "  ETA " + duration_text(elapsed * (1 - fraction_) / fraction_);
  return out;
}

void Progress::draw(double now) {
  // What comes first is what matters most; a narrow terminal cuts from the right.
  const std::string head = fmt::format("{:3.0f} %  {}/{}  ", fraction_ * 100, tally_.total, total_);
  const std::string plain = head + counts(false) + rate_and_eta(now);
  const size_t width = std::max<size_t>(console_.width(), 2) - 1;  // the last column wraps on some terminals
  const size_t used = util::display_width(plain);
  std::string line =
      used > width ? util::fit_width(plain, width) : head + counts(console_.progress_colour) + rate_and_eta(now);
  constexpr size_t kLeastForName = 12;
  if (used + 2 + kLeastForName <= width && !api_.empty()) line += "  " + util::fit_width_middle(api_, width - used - 2);
  std::fputs(("\r" + line + "\x1b[K").c_str(), console_.progress);
  std::fflush(console_.progress);
  standing_ = true;
  last_shown_ = now;
}

void Progress::log(double now) {
  console_.log(fmt::format("checked {} of {} APIs ({:.0f} %): {}{}", tally_.total, total_, fraction_ * 100,
                           counts(false), rate_and_eta(now)));
  last_shown_ = now;
  logged_fraction_ = fraction_;
}

}  // namespace msprobe::report
