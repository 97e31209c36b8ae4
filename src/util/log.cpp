#include "util/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "util/one_line.h"
#include "util/plain_file.h"
#include "util/style.h"

namespace msprobe::util {
namespace {

/// Appends to a file that open_log() has seen to; spdlog's own sink opens it by its name again, and follows links.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(const std::string& path) : path_(path), fd_(open_log(path)) {}
  ~FileSink() override { ::close(fd_); }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (size_t done = 0; done < line.size();) {
      const ssize_t n = ::write(fd_, line.data() + done, line.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) spdlog::throw_spdlog_ex("Failed writing to file " + path_, n < 0 ? errno : ENOSPC);
      done += static_cast<size_t>(n);
    }
  }
  void flush_() override {}  // nothing is kept back

 private:
  std::string path_;
  int fd_;
};

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
    auto to_file = std::make_shared<FileSink>(file);
    to_file->set_level(std::min(level, spdlog::level::debug));
    set_pattern(*to_file, "%Y-%m-%d %H:%M:%S.%e %P %l: %*");
    sinks.push_back(std::move(to_file));
  }
  auto logger = std::make_shared<spdlog::logger>("msprobe", sinks.begin(), sinks.end());
  logger->set_level(file.empty() ? level : std::min(level, spdlog::level::debug));
  logger->flush_on(spdlog::level::trace);  // nothing may wait in a buffer when the process forks
  logger->set_error_handler([file](const std::string& reason) { tell_once(file, reason); });
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace msprobe::util
