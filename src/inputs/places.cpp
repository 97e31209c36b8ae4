#include "inputs/places.h"

namespace msprobe::inputs {
namespace {

signatures::Form form_of(const Value& value) {
  using signatures::Form;
  if (value.is_none()) return Form::kNone;
  if (value.is_tensor()) return Form::kTensor;
  if (value.is<int64_t>() || value.is<BigInt>()) return Form::kInteger;
  if (value.is<double>()) return Form::kFloating;
  if (value.is<bool>()) return Form::kBool;
  if (value.is<std::string>()) return Form::kText;
  const auto* list = value.get_if<List>();
  if (list == nullptr) return Form::kOther;
  if (list->items.empty()) return Form::kEmptyList;
  return list->items.front().is_tensor() ? Form::kTensors : Form::kList;
}

}  // namespace

std::string_view operator_name(const dump::ApiName& name) {
  const std::string_view full = name.name;
  return name.type == "Aten" ? full.substr(0, full.find('.')) : name.last();
}

signatures::CallShape shape_of(const Arguments& arguments) {
  signatures::CallShape shape;
  shape.args.reserve(arguments.args.size());
  for (const Value& value : arguments.args) shape.args.push_back(form_of(value));
  for (const auto& [name, value] : arguments.kwargs) shape.kwargs.emplace_back(name, form_of(value));
  return shape;
}

const dump::Argument& at(const dump::ForwardRecord& call, Place place) {
  return place.keyword ? call.kwargs[place.index].second : call.args[place.index];
}

Value& at(Arguments& arguments, Place place) {
  return place.keyword ? arguments.kwargs[place.index].second : arguments.args[place.index];
}

const Value& at(const Arguments& arguments, Place place) {
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
