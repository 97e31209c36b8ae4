#include "report/cut_short.h"

#include <algorithm>
#include <iterator>

namespace msprobe::report {

bool cut_short(std::string_view message) {
  constexpr std::string_view kStarts[] = {"crashed", "timed out", "out of memory", "out of device memory",
                                          "device lost"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return message.starts_with(start); });
}

}  // namespace msprobe::report
