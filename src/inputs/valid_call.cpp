#include "inputs/valid_call.h"

#include <algorithm>
#include <limits>

namespace msprobe::inputs {
namespace {

using Visit = std::function<void(const dump::TensorMeta&, at::Tensor&, const std::string&)>;

/// Record and value side by side: they have one structure, but for what a conversion put in (npu_fusion_attention's
/// mask is still a tensor).
void walk(const dump::Argument& argument, Value& value, const std::string& position, const Visit& visit) {
  const auto items = [&](const dump::ArgumentList& recorded, std::vector<Value>& values) {
    for (size_t i = 0; i < recorded.size() && i < values.size(); ++i)
      walk(recorded[i], values[i], position + "." + std::to_string(i), visit);
  };
  if (const auto* meta = argument.get_if<dump::TensorMeta>()) {
    if (auto* tensor = value.get_if<at::Tensor>()) visit(*meta, *tensor, position);
  } else if (const auto* list = argument.get_if<dump::ListArg>()) {
    if (auto* values = value.get_if<List>()) items(list->items, values->items);
  } else if (const auto* slice = argument.get_if<dump::SliceArg>()) {
    if (auto* values = value.get_if<Slice>()) items(slice->parts, values->parts);
  }
}

void collect(const dump::Argument& argument, std::vector<const dump::TensorMeta*>& metas) {
  if (const auto* meta = argument.get_if<dump::TensorMeta>()) metas.push_back(meta);
  if (const auto* list = argument.get_if<dump::ListArg>())
    for (const dump::Argument& item : list->items) collect(item, metas);
  if (const auto* dict = argument.get_if<dump::DictArg>())
    for (const auto& [key, item] : dict->items) collect(item, metas);
}

}  // namespace

std::vector<Drawn> ValidCall::drawn(Place place) const {
  std::vector<Drawn> found;
  walk(at(forward(), place), inputs::at(arguments_, place), position_of(forward(), place),
       [&](const dump::TensorMeta& meta, at::Tensor& tensor, const std::string& position) {
         const bool read = context_.real_data && !meta.data_name.empty();
         if (!read && tensor.numel() > 0) found.push_back({&tensor, &meta, position});
       });
  return found;
}

std::optional<Drawn> ValidCall::drawn_at(const std::optional<Place>& place) const {
  if (!place || tensor_at(forward(), place) == nullptr) return std::nullopt;
  std::vector<Drawn> found = drawn(*place);
  return found.empty() ? std::nullopt : std::optional<Drawn>(std::move(found.front()));
}

const at::Tensor* ValidCall::tensor(const std::optional<Place>& place) const {
  return place ? inputs::at(arguments_, *place).get_if<at::Tensor>() : nullptr;
}

std::optional<Place> ValidCall::find(std::string_view parameter) const {
  return signatures::find_argument(context_.known, record_.name, shape_, parameter).place;
}

std::optional<int64_t> ValidCall::integer(std::string_view parameter) const {
  const auto place = find(parameter);
  const auto* number = place ? at(forward(), *place).get_if<int64_t>() : nullptr;
  return number ? std::optional<int64_t>(*number) : std::nullopt;
}

bool ValidCall::is_true(std::string_view parameter) const {
  const auto place = find(parameter);
  const auto* flag = place ? at(forward(), *place).get_if<bool>() : nullptr;
  return flag && *flag;
}

std::vector<const dump::TensorMeta*> ValidCall::outputs() const {
  std::vector<const dump::TensorMeta*> metas;
  if (forward().output)
    for (const dump::Argument& output : *forward().output) collect(output, metas);
  return metas;
}

std::optional<size_t> dimension(int64_t dim, size_t rank) {
  if (dim < 0) dim += static_cast<int64_t>(rank);
  if (dim < 0 || dim >= static_cast<int64_t>(rank)) return std::nullopt;
  return static_cast<size_t>(dim);
}

int64_t elements_of(const std::vector<int64_t>& shape) {
  const int64_t least = shape.empty() ? 1 : *std::min_element(shape.begin(), shape.end());
  if (least <= 0) return least < 0 ? -1 : 0;
  int64_t n = 1;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n)) return std::numeric_limits<int64_t>::max();
  return n;
}

}  // namespace msprobe::inputs
