#include <ATen/ATen.h>

#include <algorithm>
#include <unordered_set>

#include "inputs/adjust.h"
#include "inputs/valid_rules.h"

namespace msprobe::inputs {
namespace {

bool repeats(const int64_t* values, int64_t n) {
  return std::unordered_set<int64_t>(values, values + n).size() != static_cast<size_t>(n);
}

void put_at(std::vector<int64_t>& row, size_t where, int64_t value) {
  const auto found = std::find(row.begin(), row.end(), value);
  if (found == row.end())
    row[where] = value;
  else
    std::swap(*found, row[where]);
}

}  // namespace

void make_distinct(ValidCall& call, const Drawn& drawn, std::string_view name, at::Tensor view) {
  if (!at::isIntegralType(view.scalar_type(), /*includeBool=*/false) || view.numel() < 2) return;
  const int64_t length = view.size(-1);
  std::vector<int64_t> values = integers_of(view);
  const auto [low, high] = [&] {
    const auto ends = std::minmax_element(values.begin(), values.end());
    return std::pair(*ends.first, *ends.second);
  }();
  // Of negative numbers the length of the indexed dimension would have to be known; with fewer numbers than places
  // there was a repetition in the recorded call too.
  const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (length < 2 || (low < 0 && high >= 0) || span < static_cast<uint64_t>(length - 1)) return;
  const Words words = call.words(drawn);
  bool changed = false;
  for (size_t begin = 0; begin < values.size(); begin += static_cast<size_t>(length)) {
    if (!repeats(values.data() + begin, length)) continue;
    std::vector<int64_t> row = distinct_numbers(words, begin, length, low, high);
    if (begin == 0) put_at(row, 0, low);
    if (begin + static_cast<size_t>(length) == values.size()) put_at(row, row.size() - 1, high);
    std::copy(row.begin(), row.end(), values.begin() + static_cast<ptrdiff_t>(begin));
    changed = true;
  }
  if (!changed) return;
  assign(view, values);
  call.note(std::string(name).append(" made distinct"));
}

void distinct_positions(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn) return;
  // npu_scatter_nd_update's rows of several numbers may share some of them.
  const bool rows = call.name().find("scatter_nd") != std::string_view::npos;
  if (rows && (drawn->tensor->dim() == 0 || drawn->tensor->size(-1) != 1)) return;
  make_distinct(call, *drawn, name, drawn->tensor->view({1, -1}));
}

void distinct_along_dim(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const auto dim = call.integer("dim");
  const dump::TensorMeta* source = call.recorded("src");
  // scatter(reduce=) adds up or multiplies, which repetitions do not disturb.
  if (!drawn || !dim || !source || call.find("reduce")) return;
  const auto axis = dimension(*dim, static_cast<size_t>(drawn->tensor->dim()));
  if (axis) make_distinct(call, *drawn, name, drawn->tensor->movedim(static_cast<int64_t>(*axis), -1));
}

void distinct_put(ValidCall& call, Place place, std::string_view name) {
  if (!call.is_true("accumulate")) distinct_positions(call, place, name);
}

void distinct_in_plane(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn) return;
  const int64_t dims = call.name().find("3d") != std::string_view::npos   ? 3
                       : call.name().find("2d") != std::string_view::npos ? 2
                                                                          : 1;
  const at::Tensor& indices = *drawn->tensor;
  if (indices.dim() < dims) return;
  int64_t plane = 1;
  for (int64_t i = 1; i <= dims; ++i) plane *= indices.size(-i);
  make_distinct(call, *drawn, name, indices.view({-1, plane}));
}

void without_zero(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const bool reflected = call.name().substr(0, 3) == "__r" && call.name() != "__rshift__";
  const auto dividend = call.find(reflected ? "other" : "input");
  if (!drawn || !dividend || !at::isIntegralType(drawn->tensor->scalar_type(), /*includeBool=*/true)) return;
  // Floating numbers divide by 0, to inf and nan. `/` makes them out of integers, unless it rounds.
  if (const dump::TensorMeta* meta = tensor_at(call.forward(), dividend)) {
    const auto dtype = dump::parse_dtype(meta->dtype);
    const auto type = dtype ? parse_scalar_type(dump::dtype_name(*dtype)) : std::nullopt;
    if (!type || !at::isIntegralType(*type, /*includeBool=*/true)) return;
  } else if (!at(call.forward(), *dividend).is<int64_t>()) {
    return;
  }
  if (call.name().find("div") != std::string_view::npos && call.name().find("floor") == std::string_view::npos) {
    const auto mode = call.find("rounding_mode");
    if (!mode || !at(call.forward(), *mode).is<std::string>()) return;
  }
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  if (std::find(values.begin(), values.end(), 0) == values.end()) return;
  const int64_t other = *std::max_element(values.begin(), values.end()) >= 1    ? 1
                        : *std::min_element(values.begin(), values.end()) <= -1 ? -1
                                                                                : 1;
  std::replace(values.begin(), values.end(), int64_t{0}, other);
  assign(*drawn->tensor, values);
  call.note(std::string(name).append(": 0 made " + std::to_string(other) + ", integers do not divide by 0"));
}

void either_end(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || drawn->tensor->is_complex() || drawn->tensor->scalar_type() == at::kBool) return;
  const at::NoGradGuard no_grad;
  at::Tensor values = drawn->tensor->detach();
  const at::Tensor wide = values.to(at::kDouble);
  if (wide.min().item<double>() != -1 || wide.max().item<double>() != 1) return;
  const at::Tensor signs = at::where(wide.ge(0), at::ones({}, at::kDouble), at::full({}, -1, at::kDouble));
  if (at::equal(signs, wide)) return;
  values.copy_(signs);
  call.note(std::string(name).append(" made -1 or 1"));
}

}  // namespace msprobe::inputs
