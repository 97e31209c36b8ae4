#include "overview/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace msprobe::overview {
namespace {

std::optional<double> number(const dump::Statistic& statistic) {
  if (const auto* real = std::get_if<double>(&statistic)) return *real;
  if (const auto* integer = std::get_if<int64_t>(&statistic)) return static_cast<double>(*integer);
  if (const auto* boolean = std::get_if<bool>(&statistic)) return *boolean ? 1 : 0;
  // The words that some versions write for what is not finite; of anything else nothing is known.
  if (const auto* other = std::get_if<dump::OtherText>(&statistic))
    for (const char* word : {"\"nan\"", "\"inf\"", "\"-inf\"", "\"NaN\"", "\"Infinity\"", "\"-Infinity\""})
      if (other->text == word) return std::strtod(word + 1, nullptr);
  return std::nullopt;
}

bool is_floating(std::string_view dtype) {
  constexpr std::string_view kPrefix = "torch.";
  if (dtype.starts_with(kPrefix)) dtype.remove_prefix(kPrefix.size());
  return dtype.starts_with("float") || dtype.starts_with("bfloat") || dtype == "double" || dtype == "half";
}

class Collector {
 public:
  void add(const dump::Argument& argument, const std::string& position) {
    if (const auto* tensor = argument.get_if<dump::TensorMeta>()) {
      found.push_back({position, tensor->dtype, tensor->shape, is_floating(tensor->dtype), number(tensor->min),
                       number(tensor->max), number(tensor->norm)});
      // A class without a dtype's name is still a tensor.
      if (found.back().dtype.empty()) found.back().dtype = tensor->type;
    } else if (const auto* real = argument.get_if<double>()) {
      found.push_back({position, "", {}, true, *real, *real, std::nullopt});
    } else if (const auto* integer = argument.get_if<int64_t>()) {
      const auto value = static_cast<double>(*integer);
      found.push_back({position, "", {}, false, value, value, std::nullopt});
    } else if (const auto* list = argument.get_if<dump::ListArg>()) {
      add(list->items, position);
    } else if (const auto* dict = argument.get_if<dump::DictArg>()) {
      for (const auto& [name, item] : dict->items) add(item, fmt::format("{}.{}", position, name));
    }
  }
  void add(const dump::ArgumentList& list, std::string_view position) {
    for (size_t i = 0; i < list.size(); ++i) add(list[i], fmt::format("{}.{}", position, i));
  }

  std::vector<Range> found;
};

}  // namespace

bool Range::has_elements() const {
  return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

Extent Range::extent() const {
  if (!has_elements()) return Extent::kFinite;
  if ((low && std::isnan(*low)) || (high && std::isnan(*high))) return Extent::kNan;
  if ((low && std::isinf(*low)) || (high && std::isinf(*high))) return Extent::kInfinite;
  return low && high ? Extent::kFinite : Extent::kUnknown;
}

std::optional<double> Range::largest() const {
  if (!low || !high) return low ? low : high;
  if (std::isnan(*low)) return low;
  if (std::isnan(*high)) return high;
  return std::max(std::abs(*low), std::abs(*high));
}

std::vector<Range> ranges_of(const dump::ArgumentList& list, std::string_view position) {
  Collector collector;
  collector.add(list, position);
  return std::move(collector.found);
}

std::vector<Range> ranges_of(const dump::ForwardRecord& forward) {
  Collector collector;
  collector.add(forward.args, "input");
  for (const auto& [name, argument] : forward.kwargs) collector.add(argument, "kwargs." + name);
  return std::move(collector.found);
}

std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);
}

}  // namespace msprobe::overview
