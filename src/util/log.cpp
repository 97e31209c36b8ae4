#include "util/log.h"

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "util/one_line.h"
#include "util/style.h"
#include "util/write_error.h"

namespace msprobe::util {
namespace {

// As readable as the result files beside it: mode 0640. A file that is there already keeps its mode; what cannot be
// made is reported by whoever opens it.
void keep_from_others(const std::string& file) {
  constexpr mode_t kMode = 0640;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0) return;
  [[maybe_unused]] const int refused = ::fchmod(fd, kMode);  // a file system without modes
  ::close(fd);
}

/// %* in a pattern: the message, on one line. Names of a dump are in it, and may hold what moves a terminal's cursor.
class OneLine : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = one_line({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return spdlog::details::make_unique<OneLine>(); }
};

void set_pattern(spdlog::sinks::sink& sink, const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<OneLine>('*').set_pattern(pattern);
  sink.set_formatter(std::move(formatter));
}

/// The log may be on a full disk while the results are not: that is told once, and the run goes on.
void tell_once(const std::string& file, const std::string& reason) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::fprintf(stderr, "msprobe: warning: %s: the log cannot be written, what follows is on the terminal alone: %s\n",
               one_line(file.empty() ? "stderr" : file).c_str(), one_line(reason).c_str());
}

}  // namespace

void init_log(int verbosity, const std::string& file) {
  const auto level = verbosity < 0    ? spdlog::level::warn
                     : verbosity == 0 ? spdlog::level::info
                     : verbosity == 1 ? spdlog::level::debug
                                      : spdlog::level::trace;
  auto screen = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
      wants_colour(STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never);
  screen->set_level(level);
  // Carriage return, erase to the end of the line: wipes the progress line, which is drawn again below the message.
  set_pattern(*screen, std::string(is_live_terminal(STDERR_FILENO) ? "\r\x1b[K" : "") + "%H:%M:%S %^%l%$: %*");
  std::vector<spdlog::sink_ptr> sinks{screen};
  if (!file.empty()) {
    keep_from_others(file);
    try {
      auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
      to_file->set_level(std::min(level, spdlog::level::debug));
      set_pattern(*to_file, "%Y-%m-%d %H:%M:%S.%e %P %l: %*");
      sinks.push_back(std::move(to_file));
    } catch (const spdlog::spdlog_ex& failure) {
      throw WriteError(file, std::string("the log file cannot be opened: ") + failure.what(),
                       "choose another place for it");
    }
  }
  auto logger = std::make_shared<spdlog::logger>("msprobe", sinks.begin(), sinks.end());
  logger->set_level(file.empty() ? level : std::min(level, spdlog::level::debug));
  logger->flush_on(spdlog::level::trace);  // nothing may wait in a buffer when the process forks
  logger->set_error_handler([file](const std::string& reason) { tell_once(file, reason); });
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace msprobe::util
