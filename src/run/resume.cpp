#include "run/resume.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "util/error.h"

namespace msprobe::run {
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

// Longer values are told apart by a hash (FNV-1a): an attribute holds a few KB.
std::string shortened(const std::string& value) {
  constexpr size_t kLongest = 80;
  if (value.size() <= kLongest) return value;
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned char c : value) hash = (hash ^ c) * 0x100000001B3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return value.substr(0, kLongest / 2) + "... (" + text + ")";
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : " ") + value;
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
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
      {"seed", std::to_string(s.seed)},
      {"precision", std::to_string(s.precision)},
      {"precision_profile", s.profile == config::Profile::kMindstudio ? "mindstudio" : "documented"},
      {"default_range", number(s.default_range[0]) + " " + number(s.default_range[1])},
      {"hf32_inputs", s.hf32_inputs == config::Hf32::kOn    ? "on"
                      : s.hf32_inputs == config::Hf32::kOff ? "off"
                                                            : "auto"},
      {"device_type", s.device_type},
      {"threads", std::to_string(s.threads)},
      {"timeout", number(s.timeout)},
      {"jit_compile", s.jit_compile ? "on" : "off"},
      {"filter_api", s.filter_api ? "on" : "off"},
      {"only", s.only},
      {"except", s.except},
      {"rerun_failed", s.rerun_failed},
      {"shard", std::to_string(s.shard) + "/" + std::to_string(s.shards)},
      {"white_list", joined(s.white_list)},
      {"black_list", joined(s.black_list)},
      {"quantization_api_list", joined(s.quantization_api_list)},
      {"precision_standard", s.precision_standard},
      {"fused_operators", s.fused_operators},
  };
  std::string record;
  for (const auto& [key, value] : pairs) {
    std::string line = shortened(value);
    std::replace(line.begin(), line.end(), '\n', ' ');
    record += std::string(key) + "=" + line + "\n";
  }
  return record;
}

std::vector<std::string> option_differences(const std::string& then, const std::string& now) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> current;
  for (auto& [key, value] : parse(now)) current.emplace(std::move(key), std::move(value));
  for (const auto& [key, value] : parse(then)) {
    const auto found = current.find(key);
    if (found == current.end() || found->second == value) continue;
    auto shown = [](const std::string& text) { return text.empty() ? std::string("not given") : text; };
    lines.push_back(key + ": " + shown(value) + " then, " + shown(found->second) + " now");
  }
  return lines;
}

std::string recorded_option(const std::string& record, const std::string& key) {
  for (auto& [name, value] : parse(record))
    if (name == key) return value;
  return {};
}

}  // namespace msprobe::run
