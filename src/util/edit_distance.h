// "Did you mean": the known name nearest to what was typed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::util {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment), in
/// bytes. Stops counting at `limit`: the result is then limit + 1.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit = 64);

/// The name of `known` nearest to `name`, when it is near enough to be what was meant: a third of its letters may
/// differ, at most 3 of them; case and the difference of '-' and '_' do not count. nullopt when none is.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

/// ", did you mean X?" or "", ready to be put behind a message.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace msprobe::util
