#include "report/terminal.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>

#include "report/progress.h"
#include "report/summary.h"
#include "util/style.h"

namespace msprobe::report {

using outcome::Status;

Console Console::system() {
  Console console;
  console.live = util::is_live_terminal(STDERR_FILENO);
  console.progress_colour = util::wants_colour(STDERR_FILENO);
  console.summary_colour = util::wants_colour(STDOUT_FILENO);
  console.width = [] { return util::terminal_width(STDERR_FILENO); };
  console.clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  console.log = [](const std::string& line) { spdlog::info("{}", line); };
  return console;
}

struct Terminal::Impl {
  Impl(const Options& options, const config::Standards& standards, size_t total, Console c)
      : console(std::move(c)),
        quiet(options.quiet),
        place(options.place),
        place_of_each(options.place && options.place_of_each),
        progress(console, total, !quiet),
        summary(standards) {}

  Console console;
  bool quiet;
  std::function<std::string(std::string_view)> place;
  bool place_of_each;
  Tally tally;
  Progress progress;
  Summary summary;
};

Terminal::Terminal(const Options& options, const config::Standards& standards, size_t total_apis)
    : Terminal(options, standards, total_apis, Console::system()) {}

Terminal::Terminal(const Options& options, const config::Standards& standards, size_t total_apis, Console console)
    : impl_(std::make_unique<Impl>(options, standards, total_apis, std::move(console))) {}

Terminal::~Terminal() {
  impl_->progress.clear();
}

void Terminal::done(const outcome::ApiOutcome& outcome, double cost_fraction) {
  impl_->tally.add(outcome);
  impl_->summary.add(outcome);
  const auto text = [](Status status) {
    return status == Status::kBlank ? std::string_view("none") : outcome::status_text(status);
  };
  const std::string place = impl_->place_of_each ? impl_->place(outcome.api) : "";
  spdlog::debug("{}: forward {}, backward {}, {:.3f} s{}{}", outcome.api, text(outcome.forward), text(outcome.backward),
                outcome.seconds, place.empty() ? "" : "  ", place);
  impl_->progress.update(impl_->tally, cost_fraction, outcome.api);
}

void Terminal::tick() {
  impl_->progress.tick();
}

void Terminal::summary(const std::string& result_path, const std::string& details_path,
                       const std::string& repeat_command, const std::string& rerun_command,
                       const std::string& beginnings) {
  impl_->progress.clear();
  const std::string text = impl_->summary.render(
      impl_->tally, {result_path, details_path, repeat_command, rerun_command, beginnings, impl_->place}, impl_->quiet,
      impl_->console.summary_colour, impl_->console.width());
  std::fputs(text.c_str(), impl_->console.summary);
  std::fflush(impl_->console.summary);
}

int64_t Terminal::count(Status status, bool backward) const {
  return (backward ? impl_->tally.backward : impl_->tally.forward)[static_cast<size_t>(status)];
}

}  // namespace msprobe::report
