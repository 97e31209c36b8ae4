#include "plan/resume.h"

#include <sys/stat.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "config/chosen.h"
#include "goldens/user/configuration.h"
#include "util/atomic_file.h"
#include "util/error.h"

namespace msprobe::plan {
namespace {

constexpr const char* kSameOptions =
    "give the options of the interrupted run (-api_info, -f, --only, --except, --rerun-failed, --shard), or start anew "
    "without -csv_path";

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

// Rows that are dropped come again, so they must be among what is left, in order: else they belong to another run.
void check_dropped(const dump::Index& index, const std::vector<size_t>& left, const report::ResultFiles& files) {
  size_t next = 0;
  for (const auto& api : files.dropped()) {
    while (next < left.size() && report::name_in_file(index.entries()[left[next]].api) != api) ++next;
    if (next == left.size())
      throw Error(files.details_path(),
                  "its last rows are of " + quoted(api) + ", which this run would not write there", kSameOptions);
    ++next;
  }
}

std::string hexadecimal(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

// FNV-1a.
class Hash {
 public:
  void add(std::string_view text) {
    for (unsigned char c : text) value_ = (value_ ^ c) * 0x100000001B3u;
  }
  void add(uint64_t number) { add(std::to_string(number) + ","); }
  std::string text() const { return hexadecimal(value_); }

 private:
  uint64_t value_ = 0xCBF29CE484222325u;
};

// Longer values are told apart by a hash: an attribute holds a few KB.
std::string shortened(const std::string& value) {
  constexpr size_t kLongest = 80;
  if (value.size() <= kLongest) return value;
  Hash hash;
  hash.add(value);
  return value.substr(0, kLongest / 2) + "... (" + hash.text() + ")";
}

// What files say, wherever they lie and by whatever path they are named: the last one's name, and a hash.
std::string contents(const std::vector<std::string>& paths) {
  constexpr uint64_t kMost = 64 << 20;
  Hash hash;
  for (const auto& path : paths) {
    try {
      hash.add(util::read_file(path, kMost));
    } catch (const Error&) {
      return path;  // whoever needs it says what is wrong
    }
  }
  return std::filesystem::path(paths.back()).filename().string() + " " + hash.text();
}

// What is known of APIs stands in for its lists. The name that is shown is the last one's.
std::string contents_of_standard(const config::Settings& settings) {
  return contents({config::installed_config("signatures.yaml"),
                   settings.precision_standard.empty() ? config::installed_config("precision_standard.yaml")
                                                       : settings.precision_standard});
}

// The files of users' goldens. Errors of the file are told by whoever uses it.
std::vector<std::string> sources_of(const std::string& yaml) {
  std::vector<std::string> files;
  try {
    for (const auto& op : goldens::read_configuration(yaml).operators)
      if (op.file != yaml && std::find(files.begin(), files.end(), op.file) == files.end()) files.push_back(op.file);
  } catch (const Error&) {
  }
  return files;
}

// What the files hold; of large ones, weights mostly, size and time.
std::string state_of(const std::vector<std::string>& files) {
  constexpr uint64_t kMost = 64 << 20;
  Hash hash;
  for (const auto& file : files) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) continue;
    hash.add(static_cast<uint64_t>(info.st_size));
    if (static_cast<uint64_t>(info.st_size) > kMost)
      hash.add(static_cast<uint64_t>(info.st_mtime));
    else
      hash.add(util::read_file(file, kMost));
  }
  return hash.text();
}

std::string contents_of_operators(const config::Settings& settings) {
  std::vector<std::string> paths = {config::installed_config("fused_operators.yaml")};
  if (settings.fused_operators.empty()) return contents(paths);
  paths.push_back(settings.fused_operators);
  const std::vector<std::string> sources = sources_of(settings.fused_operators);
  std::string text = contents(paths);
  if (!sources.empty()) text.append(1, ' ').append(state_of(sources));
  return text;
}

// What rows of one file must have in common: they could not be told apart later.
bool changes_figures(const std::string& key) {
  static constexpr std::array<std::string_view, 12> kKeys = {"dump_bytes",
                                                             "dump",
                                                             "seed",
                                                             "precision",
                                                             "precision_profile",
                                                             "default_range",
                                                             "hf32_inputs",
                                                             "device_type",
                                                             "precision_standard",
                                                             "fused_operators",
                                                             "quantization_api_list",
                                                             "libtorch"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string joined(const config::ApiList& list) {
  std::string text;
  for (const auto& value : list.entries()) text += (text.empty() ? "" : " ") + value;
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// The list in effect. Who needs a standard that cannot be read says so.
config::ApiList quantization_list(const config::Settings& settings) {
  if (settings.origin.contains("quantization_api_list")) return settings.quantization_api_list;
  try {
    return config::in_effect(settings).quantization_api_list;
  } catch (const Error&) {
    return settings.quantization_api_list;
  }
}

std::vector<std::pair<std::string, std::string>> parse(const std::string& record) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream lines(record);
  for (std::string line; std::getline(lines, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos)
      pairs.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  return pairs;
}

}  // namespace

std::vector<size_t> remaining(const dump::Index& index, const std::vector<size_t>& todo,
                              const report::ResultFiles& files) {
  const auto& done = files.done();
  for (size_t i = 0; i < done.size(); ++i) {
    const std::string expected = i < todo.size() ? report::name_in_file(index.entries()[todo[i]].api) : std::string();
    if (i < todo.size() && done[i] == expected) continue;
    throw Error(files.result_path(),
                "row " + std::to_string(i + 1) + " is " + quoted(done[i]) + ", this run would have " +
                    (i < todo.size() ? quoted(expected) : "no such row") + " there",
                kSameOptions);
  }
  std::vector<size_t> left(todo.begin() + static_cast<std::ptrdiff_t>(done.size()), todo.end());
  check_dropped(index, left, files);
  return left;
}

void check_done_against(const dump::Index& index, const std::vector<size_t>& todo, const report::ResultFiles& files) {
  if (files.done().empty() && files.dropped().empty()) return;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < index.entries().size(); ++i) places.emplace(report::name_in_file(index.entries()[i].api), i);
  size_t row = 0, last = 0;
  for (const auto& api : files.done()) {
    ++row;
    const auto found = places.find(api);
    if (found == places.end())
      throw Error(files.result_path(),
                  "row " + std::to_string(row) + " is " + quoted(api) + ", which " + index.path() + " does not have",
                  kSameOptions);
    if (row > 1 && found->second <= last)
      throw Error(files.result_path(),
                  "row " + std::to_string(row) + ", " + quoted(api) + ", stands out of the dump's order", kSameOptions);
    last = found->second;
  }
  if (row > 0 && !todo.empty() && todo.front() <= last)
    throw Error(files.result_path(),
                "its last row is " + quoted(files.done().back()) + ", but " +
                    quoted(report::name_in_file(index.entries()[todo.front()].api)) +
                    ", which comes before that, has none",
                kSameOptions);
  check_dropped(index, todo, files);
}

std::string option_record(const config::Settings& s, const dump::Index& index, size_t apis) {
  struct stat status {};
  const bool known = ::stat(index.path().c_str(), &status) == 0;
  const std::pair<const char*, std::string> pairs[] = {
      {"apis", std::to_string(apis)},
      {"dump_bytes", known ? std::to_string(status.st_size) : ""},
      {"dump", hexadecimal(index.digest())},
      {"seed", std::to_string(s.seed)},
      {"precision", std::to_string(s.precision)},
      {"precision_profile", s.profile == config::Profile::kMindstudio ? "mindstudio" : "documented"},
      {"default_range", number(s.default_range[0]) + " " + number(s.default_range[1])},
      {"hf32_inputs", s.hf32_inputs == config::Hf32::kOn    ? "on"
                      : s.hf32_inputs == config::Hf32::kOff ? "off"
                                                            : "auto"},
      {"device_type", s.device_type},
      {"libtorch", TORCH_VERSION},
      {"torch_npu", s.device_type == "npu" ? s.torch_npu : ""},
      {"threads", std::to_string(s.threads)},
      {"timeout", number(s.timeout)},
      {"jit_compile", s.jit_compile ? "on" : "off"},
      {"save_data", s.save_data == config::SaveData::kAll     ? "all"
                    : s.save_data == config::SaveData::kError ? "error"
                                                              : "none"},
      {"error_data_path", s.save_data == config::SaveData::kNone ? "" : s.error_data_path},
      {"max_errors", std::to_string(s.max_errors)},
      {"filter_api", s.filter_api ? "on" : "off"},
      {"only", s.only},
      {"except", s.except},
      {"rerun_failed", s.rerun_failed},
      {"shard", std::to_string(s.shard) + "/" + std::to_string(s.shards)},
      {"white_list", joined(s.white_list)},
      {"black_list", joined(s.black_list)},
      {"quantization_api_list", joined(quantization_list(s))},
      {"precision_standard", contents_of_standard(s)},
      {"fused_operators", contents_of_operators(s)},
  };
  std::string record;
  for (const auto& [key, value] : pairs) {
    std::string line = shortened(value);
    std::replace(line.begin(), line.end(), '\n', ' ');
    record += std::string(key) + "=" + line + "\n";
  }
  return record;
}

std::string OptionDifference::text() const {
  auto shown = [](const std::string& value) { return value.empty() ? std::string("not given") : value; };
  return key + ": " + shown(then) + " then, " + shown(now) + " now";
}

std::vector<OptionDifference> option_differences(const std::string& then, const std::string& now) {
  std::vector<OptionDifference> found;
  std::map<std::string, std::string> current;
  for (auto& [key, value] : parse(now)) current.emplace(std::move(key), std::move(value));
  for (const auto& [key, value] : parse(then)) {
    const auto other = current.find(key);
    if (other != current.end() && other->second != value) found.push_back({key, value, other->second});
  }
  return found;
}

std::string recorded_option(const std::string& record, const std::string& key) {
  for (auto& [name, value] : parse(record))
    if (name == key) return value;
  return {};
}

std::string with_option(const std::string& record, const std::string& key, const std::string& value) {
  std::string changed;
  for (const auto& [name, former] : parse(record)) changed += name + "=" + (name == key ? value : former) + "\n";
  return changed;
}

void check_options(const config::Settings& settings, const dump::Index& index, const report::ResultFiles& files) {
  std::string text;
  for (const auto& difference : option_differences(files.options(), option_record(settings, index, 0)))
    if (changes_figures(difference.key)) text += (text.empty() ? "" : ", ") + difference.text();
  if (text.empty()) return;
  throw Error(files.result_path(),
              "was begun with other options, so that its rows and new ones do not go together: " + text,
              "give the options that it was begun with, or start anew without -csv_path");
}

}  // namespace msprobe::plan
