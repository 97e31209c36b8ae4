#include "run/go_on.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>

#include "plan/option_record.h"
#include "plan/resume.h"
#include "run/files.h"
#include "util/count_of.h"

namespace msprobe::run {

namespace fs = std::filesystem;

std::vector<size_t> left_to_do(const config::Settings& settings, const dump::Index& index,
                               const std::vector<size_t>& todo, const report::ResultFiles& files) {
  const fs::path result_path = files.result_path();
  if (settings.origin.contains("out_path") &&
      fs::weakly_canonical(out_folder(settings)) != fs::weakly_canonical(result_path.parent_path()))
    spdlog::warn("-o {}: not used, -csv_path goes on in the folder of its file, {}", settings.out_path,
                 fs::absolute(result_path).parent_path().string());
  std::vector<size_t> left = plan::remaining(index, todo, files);
  plan::check_options(settings, index, files);
  spdlog::info("{}: done {}, left {}", files.result_path(), util::count_of(files.done().size(), "API"), left.size());
  return left;
}

void record_options(config::Settings settings, int threads, const dump::Index& index, size_t apis,
                    report::ResultFiles& files) {
  settings.threads = threads;  // what "all cores" was
  const std::string now = plan::option_record(settings, index, apis), then = files.options();
  if (!files.dropped().empty())
    spdlog::info("{}: the rows of {} are made again, from {} on", files.result_path(),
                 util::count_of(files.dropped().size(), "API"), files.dropped().front());
  if (then.empty()) {
    if (!settings.result_csv_path.empty())
      spdlog::warn(
          "{}: the options of the interrupted run are lost (was the file copied?); they could not be compared with "
          "these",
          files.result_path());
    files.set_options(now);
    return;
  }
  for (const auto& difference : plan::option_differences(then, now))
    if (difference.key != "apis")
      spdlog::warn("{}: this run goes on with other options than it was begun with: {}", files.result_path(),
                   difference.text());
  files.set_options(plan::with_option(then, "apis", std::to_string(apis)));  // merge asks for so many rows
}

}  // namespace msprobe::run
