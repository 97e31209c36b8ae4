#include "compare/row_name.h"

#include <algorithm>

namespace msprobe::compare {
namespace {

constexpr std::string_view kOutput = ".output.";

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Takes `.forward` or `.backward` off the end.
Direction take_direction(std::string_view& text) {
  for (const auto& [ending, direction] : {std::pair<std::string_view, Direction>(".forward", Direction::kForward),
                                          std::pair<std::string_view, Direction>(".backward", Direction::kBackward)}) {
    if (!text.ends_with(ending)) continue;
    text.remove_suffix(ending.size());
    return direction;
  }
  return Direction::kUnknown;
}

/// Sets type and name of `api`; false when it has no three parts.
bool split_api(RowName& row) {
  const size_t first = row.api.find('.'), last = row.api.rfind('.');
  if (first == std::string_view::npos || first == last) return false;
  row.type = row.api.substr(0, first);
  row.name = row.api.substr(first + 1, last - first - 1);
  return true;
}

RowName split_documented(std::string_view name) {
  RowName row;
  const size_t output = name.rfind(kOutput);
  if (output == std::string_view::npos) return row;
  const std::string_view index = name.substr(output + kOutput.size());
  if (index.empty() || index.find_first_not_of("0123456789.") != std::string_view::npos) return row;
  row.api = name.substr(0, output);
  row.direction = take_direction(row.api);
  row.valid = row.direction != Direction::kUnknown && split_api(row) && !row.type.empty() && !row.name.empty() &&
              is_digits(row.api.substr(row.api.rfind('.') + 1));
  return row;
}

/// By the number of parts alone, as MindStudio does.
RowName split_by_parts(std::string_view name) {
  RowName row;
  const auto dots = std::count(name.begin(), name.end(), '.');
  if (dots != 5 && dots != 6) return row;
  row.api = name;
  for (int part = 0; part < 2; ++part) row.api = row.api.substr(0, row.api.rfind('.'));
  row.direction = take_direction(row.api);
  if (row.direction == Direction::kUnknown) row.api = row.api.substr(0, row.api.rfind('.'));
  row.valid = split_api(row);
  return row;
}

}  // namespace

RowName split_row_name(std::string_view name, config::Profile profile) {
  const RowName row = split_documented(name);
  if (profile == config::Profile::kDocumented) return row;
  if (!row.valid) return split_by_parts(name);
  return std::count(row.name.begin(), row.name.end(), '.') <= 1 ? row : RowName();
}

}  // namespace msprobe::compare
