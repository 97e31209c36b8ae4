// SKIP rows of APIs that began and did not come to their end.
#pragma once
#include <string_view>

namespace msprobe::report {

/// Whether the Message of a SKIP row says that the API crashed, timed out, ran out of memory or lost its device: another
/// try may end otherwise.
bool cut_short(std::string_view message);

}  // namespace msprobe::report
