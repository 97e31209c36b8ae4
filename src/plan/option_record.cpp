#include "plan/option_record.h"

#include <sys/stat.h>
#include <torch/version.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/contents.h"
#include "util/hash.h"

namespace msprobe::plan {
namespace {

using config::Declaration;

// What a run finds and no setting says. A run may get more APIs than it was begun with: --max-errors stops it sooner.
constexpr const char* kApis = "apis";
constexpr const char* kDumpBytes = "dump_bytes";
constexpr const char* kDump = "dump";
constexpr const char* kLibTorch = "libtorch";

// The order of the lines, and so of what messages list. What is not here follows in the order of its declaration.
constexpr const char* kOrder[] = {kApis,
                                  kDumpBytes,
                                  kDump,
                                  "seed",
                                  "precision",
                                  "precision_profile",
                                  "default_range",
                                  "hf32_inputs",
                                  "device_type",
                                  kLibTorch,
                                  "torch_npu",
                                  "threads",
                                  "timeout",
                                  "jit_compile",
                                  "save_data",
                                  "error_data_path",
                                  "max_errors",
                                  "filter_api",
                                  "only",
                                  "except",
                                  "rerun_failed",
                                  "shard",
                                  "white_list",
                                  "black_list",
                                  "quantization_api_list",
                                  "precision_standard",
                                  "fused_operators"};

std::string shortened(const std::string& value) {
  constexpr size_t kLongest = 80;
  if (value.size() <= kLongest) return value;
  return value.substr(0, kLongest / 2) + "... (" + util::hexadecimal(util::fnv1a64(value)) + ")";
}

std::string one_line(std::string value) {
  std::replace(value.begin(), value.end(), '\n', ' ');
  return value;
}

std::string contents_of(const Declaration& setting, const config::Settings& settings) {
  if (setting.key == "precision_standard") return contents_of_standard(settings);
  if (setting.key == "fused_operators") return contents_of_operators(settings);
  throw std::logic_error("nothing tells what the files of " + std::string(setting.key) + " hold");
}

std::string recorded(const Declaration& setting, const config::Settings& settings) {
  if (setting.by_contents) return contents_of(setting, settings);
  return setting.recorded != nullptr ? setting.recorded(settings) : setting.show(settings);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace

std::string option_record(const config::Settings& settings, const dump::Index& index, size_t apis) {
  struct stat status {};
  const bool known = ::stat(index.path().c_str(), &status) == 0;
  Pairs pairs = {{kApis, std::to_string(apis)},
                 {kDumpBytes, known ? std::to_string(status.st_size) : ""},
                 {kDump, util::hexadecimal(index.digest())},
                 {kLibTorch, TORCH_VERSION}};
  for (const Declaration& setting : config::declarations())
    if (setting.rows != config::Rows::kNotAsked) pairs.emplace_back(setting.record_key(), recorded(setting, settings));
  const auto place = [](const auto& pair) { return std::find(std::begin(kOrder), std::end(kOrder), pair.first); };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::string record;
  for (const auto& [key, value] : pairs) record += key + "=" + one_line(shortened(value)) + "\n";
  return record;
}

bool rows_depend_on(const std::string& key) {
  if (key == kApis) return false;
  const Declaration* setting = config::find_recorded(key);
  return setting == nullptr || setting->rows == config::Rows::kDepend;
}

config::Parts parts_rule(const std::string& key) {
  if (key == kApis) return config::Parts::kAny;
  const Declaration* setting = config::find_recorded(key);
  return setting == nullptr ? config::Parts::kAlike : setting->parts;
}

}  // namespace msprobe::plan
