// Lists as source text has them: "input, p=0.5, size=[1, 2], mode='a,b'".
#pragma once
#include <string_view>
#include <vector>

namespace msprobe::util {

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

/// The parts between commas that stand outside of brackets and quotes, trimmed: views of `text`. An empty last part is
/// none.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace msprobe::util
