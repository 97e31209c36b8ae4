#include "run/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "pool/signals.h"
#include "util/error.h"
#include "util/log.h"
#include "util/write_error.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

// A folder that can be written to, made when absent: found out before the first API, not after the last.
void check_folder(const std::string& path, const char* option) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error && !fs::is_directory(path)) {
    const std::string what = fmt::format("folder {} cannot be made: {}", path, error.message());
    if (util::wants_room(error.value())) throw WriteError(option, what, "free some space, or name another one");
    throw Error(option, what, "name another one");
  }
  if (access(path.c_str(), W_OK | X_OK) != 0)
    throw Error(option, fmt::format("folder {} cannot be written to", path), "name another one");
}

std::string log_path(const fs::path& folder, const std::string& timestamp) {
  return (folder / report::log_name(timestamp)).string();
}

report::ResultFiles new_files(const config::Settings& settings, report::ErrorFolder& error_folder) {
  const std::string folder = out_folder(settings);
  check_folder(folder, "-o");
  const auto claim = [&](const std::string& timestamp) {
    std::error_code unknown;
    return !fs::exists(fs::symlink_status(log_path(folder, timestamp), unknown)) && error_folder.claim(timestamp);
  };
  return report::ResultFiles::create(folder, report::timestamp_now(), settings.precision, claim);
}

}  // namespace

std::string out_folder(const config::Settings& settings) {
  if (settings.shards == 1) return settings.out_path;
  return (fs::path(settings.out_path) / report::shard_folder(settings.shard, settings.shards)).string();
}

report::ResultFiles open_files(const config::Settings& settings, report::ErrorFolder& error_folder) {
  if (settings.save_data != config::SaveData::kNone) check_folder(settings.error_data_path, "error_data_path");
  pool::hold_signals();
  if (settings.result_csv_path.empty()) return new_files(settings, error_folder);
  report::ResultFiles files = report::ResultFiles::resume(settings.result_csv_path, settings.precision);
  error_folder.go_on(files.timestamp());
  return files;
}

void log_beside(const report::ResultFiles& files, int verbosity) {
  util::init_log(verbosity, log_path(fs::path(files.result_path()).parent_path(), files.timestamp()));
}

}  // namespace msprobe::run
