#include "util/log.h"

#include <fcntl.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "util/error.h"
#include "util/style.h"

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
  screen->set_pattern(std::string(is_live_terminal(STDERR_FILENO) ? "\r\x1b[K" : "") + "%H:%M:%S %^%l%$: %v");
  std::vector<spdlog::sink_ptr> sinks{screen};
  if (!file.empty()) {
    keep_from_others(file);
    try {
      auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
      to_file->set_level(std::min(level, spdlog::level::debug));
      to_file->set_pattern("%Y-%m-%d %H:%M:%S.%e %P %l: %v");
      sinks.push_back(std::move(to_file));
    } catch (const spdlog::spdlog_ex& failure) {
      throw Error(file, std::string("the log file cannot be opened: ") + failure.what(), "choose another place for it");
    }
  }
  auto logger = std::make_shared<spdlog::logger>("msprobe", sinks.begin(), sinks.end());
  logger->set_level(file.empty() ? level : std::min(level, spdlog::level::debug));
  logger->flush_on(spdlog::level::trace);  // nothing may wait in a buffer when the process forks
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace msprobe::util
