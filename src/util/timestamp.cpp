#include "util/timestamp.h"

#include <algorithm>
#include <ctime>

namespace msprobe::util {
namespace {

constexpr const char* kFormat = "%Y%m%d%H%M%S";

std::string text_of(const std::tm& time) {
  char text[32];
  return {text, std::strftime(text, sizeof text, kFormat, &time)};
}

}  // namespace

std::string timestamp_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return text_of(local);
}

std::string next_second(const std::string& timestamp) {
  std::tm time{};
  if (!is_timestamp(timestamp) || ::strptime(timestamp.c_str(), kFormat, &time) == nullptr) return {};
  time.tm_isdst = -1;
  time.tm_sec += 1;
  std::mktime(&time);
  return text_of(time);
}

bool is_timestamp(std::string_view text) {
  return text.size() == kTimestampDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace msprobe::util
