#include <algorithm>
#include <ctime>
#include <utility>

#include "report/csv_writer.h"
#include "report/result_files.h"
#include "report/resume_plan.h"

namespace msprobe::report {
namespace {

constexpr std::string_view kPrefix = "accuracy_checking_";
constexpr std::string_view kSuffix = ".csv";
constexpr size_t kTimestampDigits = 14;

}  // namespace

std::string timestamp_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local)};
}

std::string file_name(std::string_view kind, std::string_view timestamp) {
  std::string name(kPrefix);
  name.append(kind).append("_").append(timestamp).append(kSuffix);
  return name;
}

std::string timestamp_of(std::string_view result_name) {
  const size_t digits = file_name("result", "").size() - kSuffix.size();
  if (result_name.size() != digits + kTimestampDigits + kSuffix.size()) return {};
  std::string timestamp(result_name.substr(digits, kTimestampDigits));
  const bool all_digits = std::all_of(timestamp.begin(), timestamp.end(), [](char c) { return c >= '0' && c <= '9'; });
  return all_digits && file_name("result", timestamp) == result_name ? timestamp : std::string();
}

std::string name_in_file(std::string_view api) {
  std::string line = csv_row({std::string(api)});
  line.resize(line.size() - 2);  // CRLF
  auto cells = split_row(line);
  return cells && cells->size() == 1 ? std::move((*cells)[0]) : std::string(api);
}

}  // namespace msprobe::report
