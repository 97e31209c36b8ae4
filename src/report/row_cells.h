// One line of a CSV file that msprobe wrote, taken apart again.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::report {

/// The cells of one line (without its line end); nullopt when quotes do not match or a line break is inside.
std::optional<std::vector<std::string>> split_row(std::string_view line);
/// `Torch.mul.0` of `Torch.mul.0.forward.output.1`; nullopt when it is no such name.
std::optional<std::string> api_of_row(std::string_view row_name);
/// A name as it reads in a CSV cell: line breaks and a formula's first character are made harmless there.
std::string name_in_file(std::string_view api);

}  // namespace msprobe::report
