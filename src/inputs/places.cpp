#include "inputs/places.h"

#include <algorithm>

namespace msprobe::inputs {

std::string_view operator_name(const dump::ApiName& name) {
  const std::string_view full = name.name;
  return name.type == "Aten" ? full.substr(0, full.find('.')) : name.last();
}

std::optional<Place> find(const dump::ForwardRecord& call, size_t position,
                          std::initializer_list<std::string_view> keywords) {
  if (position < call.args.size()) return Place{false, position};
  for (size_t i = 0; i < call.kwargs.size(); ++i)
    if (std::find(keywords.begin(), keywords.end(), call.kwargs[i].first) != keywords.end()) return Place{true, i};
  return std::nullopt;
}

const dump::Argument& at(const dump::ForwardRecord& call, Place place) {
  return place.keyword ? call.kwargs[place.index].second : call.args[place.index];
}

Value& at(Arguments& arguments, Place place) {
  return place.keyword ? arguments.kwargs[place.index].second : arguments.args[place.index];
}

const dump::TensorMeta* tensor_at(const dump::ForwardRecord& call, const std::optional<Place>& place) {
  return place ? at(call, *place).get_if<dump::TensorMeta>() : nullptr;
}

std::string position_of(const dump::ForwardRecord& call, Place place) {
  return place.keyword ? "kwargs." + call.kwargs[place.index].first : "input." + std::to_string(place.index);
}

std::string label_of(const Arguments& arguments, Place place) {
  return place.keyword ? arguments.kwargs[place.index].first : "input " + std::to_string(place.index);
}

std::string readable(std::string_view position) {
  struct Prefix {
    std::string_view from, to;
  };
  constexpr Prefix kPrefixes[] = {{"input.", "input "}, {"kwargs.", ""}, {"backward.input.", "output gradient "}};
  for (const auto& [from, to] : kPrefixes)
    if (position.substr(0, from.size()) == from) return std::string(to).append(position.substr(from.size()));
  return std::string(position);
}

}  // namespace msprobe::inputs
