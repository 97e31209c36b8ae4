#include "overview/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "overview/find.h"
#include "util/changed_error.h"
#include "util/message.h"

namespace msprobe::overview {
namespace {

Call forward_call(const dump::Record& record) {
  Call call{record.name.full, dump::Direction::kForward, ranges_of(record.forward), {}, ""};
  if (record.forward.output) call.outputs = ranges_of(*record.forward.output, "output");
  return call;
}

Call backward_call(const dump::Record& record) {
  return {record.name.full, dump::Direction::kBackward, ranges_of(record.backward->input, "input"),
          ranges_of(record.backward->output, "output"), record.backward->fault};
}

bool counts(const Range& range) {
  return (range.is_tensor() || range.floating) && range.has_elements() && range.low && range.high;
}

/// Integers are indices and masks, of another scale than the values beside them.
bool floats(const Range& range) {
  return range.floating && counts(range);
}

}  // namespace

Survey survey(const dump::Index& index, const std::function<bool(std::string_view api)>& wanted) {
  const auto& entries = index.entries();
  Survey all;
  std::vector<std::pair<uint64_t, Call>> backward;  // with where they stand in the file
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!wanted(entries[i].api)) continue;
    try {
      const dump::Record record = index.read(i);
      all.forward.push_back(forward_call(record));
      if (record.backward) backward.emplace_back(entries[i].backward.begin, backward_call(record));
    } catch (const ChangedError&) {
      throw;
    } catch (const Error& error) {
      all.forward.push_back({std::string(entries[i].api), dump::Direction::kForward, {}, {}, util::message_of(error)});
    }
  }
  std::sort(backward.begin(), backward.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [begin, call] : backward) all.backward.push_back(std::move(call));
  return all;
}

std::optional<double> largest_output(const Call& call) {
  std::optional<double> most;
  for (const Range& output : call.outputs) {
    if (!output.is_tensor() || !counts(output)) continue;
    const double value = *output.largest();
    if (!most || std::isnan(value) || value > *most) most = value;
  }
  return most;
}

std::string range_text(const std::vector<Range>& ranges) {
  std::optional<double> low, high;
  const bool floating = std::any_of(ranges.begin(), ranges.end(), floats);
  for (const Range& range : ranges) {
    if (floating ? !floats(range) : !counts(range)) continue;
    if (range.extent() == Extent::kNan) return "nan";
    low = low ? std::min(*low, *range.low) : *range.low;
    high = high ? std::max(*high, *range.high) : *range.high;
  }
  if (!low) return "";
  return *low == *high ? number_text(*low) : fmt::format("{} .. {}", number_text(*low), number_text(*high));
}

}  // namespace msprobe::overview
