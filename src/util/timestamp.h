// Seconds as names of files have them: YYYYMMDDhhmmss, local time.
#pragma once
#include <string>
#include <string_view>

namespace msprobe::util {

constexpr size_t kTimestampDigits = 14;

std::string timestamp_now();
/// The second after `timestamp`, by the calendar; empty when it is none.
std::string next_second(const std::string& timestamp);
/// 14 digits.
bool is_timestamp(std::string_view text);

}  // namespace msprobe::util
