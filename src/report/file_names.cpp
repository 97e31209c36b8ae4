#include "report/file_names.h"

#include <cstdio>

namespace msprobe::report {
namespace {

constexpr std::string_view kRun = "accuracy_checking_", kCompare = "api_precision_compare_";
constexpr std::string_view kResult = "result", kCsv = ".csv";

std::string csv_name(std::string_view prefix, std::string_view kind, std::string_view timestamp) {
  std::string name(prefix);
  return name.append(kind).append("_").append(timestamp).append(kCsv);
}

}  // namespace

std::string file_name(std::string_view kind, std::string_view timestamp) {
  return csv_name(kRun, kind, timestamp);
}

std::string timestamp_of(std::string_view result_name) {
  const size_t digits = file_name(kResult, "").size() - kCsv.size();
  if (result_name.size() < digits) return {};
  std::string timestamp(result_name.substr(digits, util::kTimestampDigits));
  return util::is_timestamp(timestamp) && file_name(kResult, timestamp) == result_name ? timestamp : std::string();
}

bool is_details_name(std::string_view name) {
  const std::string whole = file_name("details", "");
  const std::string_view beginning = std::string_view(whole).substr(0, whole.size() - kCsv.size());
  return name.starts_with(beginning) && name.ends_with(kCsv);
}

std::string log_name(std::string_view timestamp) {
  std::string name(kRun);
  return name.append(timestamp).append(".log");
}

std::string compare_name(std::string_view kind, std::string_view timestamp) {
  return csv_name(kCompare, kind, timestamp);
}

std::string diff_name(std::string_view timestamp) {
  return std::string("accuracy_diff_").append(timestamp).append(kCsv);
}

std::string error_folder_name(std::string_view timestamp) {
  return std::string("ut_error_data").append(timestamp);
}

std::string saved_stem(const std::string& api, Saved what) {
  switch (what) {
    case Saved::kInput:
      return api + ".forward.input.";
    case Saved::kKeyword:
      return api + ".forward.kwargs.";
    case Saved::kGoldenOutput:
      return api + ".forward.output.bench.";
    case Saved::kDeviceOutput:
      return api + ".forward.output.device.";
    case Saved::kOutputGradient:
      return api + ".backward.input.";
    case Saved::kGoldenGradient:
      return api + ".backward.output.bench.";
    case Saved::kDeviceGradient:
      return api + ".backward.output.device.";
  }
  return api + ".";
}

std::string shard_folder(int shard, int shards) {
  return "shard_" + std::to_string(shard) + "_of_" + std::to_string(shards);
}

bool parse_shard_folder(const std::string& name, int& shard, int& shards) {
  int end = 0;
  return std::sscanf(name.c_str(), "shard_%d_of_%d%n", &shard, &shards, &end) == 2 &&
         static_cast<size_t>(end) == name.size() && shard >= 0 && shard < shards;
}

std::string joined(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

}  // namespace msprobe::report
