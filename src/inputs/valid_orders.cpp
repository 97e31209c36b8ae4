#include <ATen/ATen.h>

#include <algorithm>

#include "inputs/adjust.h"
#include "inputs/valid_rules.h"

namespace msprobe::inputs {
namespace {

std::string text(std::string_view name, std::string_view what) {
  return std::string(name).append(" ").append(what);
}

/// Writes `values` and says so, unless they are there already.
bool change(ValidCall& call, at::Tensor& tensor, const std::vector<int64_t>& values, const std::string& note) {
  if (values == integers_of(tensor)) return false;
  assign(tensor, values);
  call.note(note);
  return true;
}

bool is_integer_vector(const Drawn& drawn) {
  return drawn.tensor->dim() == 1 && at::isIntegralType(drawn.tensor->scalar_type(), /*includeBool=*/false);
}

/// Rows of a tensor's last dimension, one after the other.
template <class F>
void for_each_row(std::vector<int64_t>& values, int64_t length, const F& f) {
  for (auto row = values.begin(); row != values.end(); row += length) f(row, row + length);
}

/// Moved to `sum` within the range drawn, or, where that range does not reach it, within [floor, sum].
bool reach_sum(std::vector<int64_t>& values, int64_t floor, int64_t sum, std::string& note) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (move_to_sum(values, std::max(*low, floor), std::max(*high, floor), sum)) return true;
  if (!move_to_sum(values, floor, std::max(sum, floor), sum)) return false;
  note += ", which the recorded Min and Max do not allow";
  return true;
}

/// What a call with offsets or lengths divides: dimension `axis` of the data.
std::optional<int64_t> segment_data(ValidCall& call) {
  const dump::TensorMeta* data = call.recorded("data");
  const auto axis = call.integer("axis").value_or(0);
  if (!data) return std::nullopt;
  const auto dim = dimension(axis, data->shape.size());
  return dim && data->shape[*dim] >= 0 ? std::optional<int64_t>(data->shape[*dim]) : std::nullopt;
}

}  // namespace

void sort_ascending(ValidCall& call, Place place, std::string_view name) {
  bool changed = false;
  for (const Drawn& drawn : call.drawn(place)) {
    at::Tensor& tensor = *drawn.tensor;
    if (tensor.dim() == 0 || tensor.is_complex()) continue;
    const at::NoGradGuard no_grad;
    const at::Tensor sorted = std::get<0>(at::sort(tensor.detach(), -1, /*descending=*/false));
    if (at::equal(sorted, tensor.detach())) continue;
    tensor.copy_(sorted);
    changed = true;
  }
  if (changed) call.note(text(name, "sorted ascending"));
}

void sort_from_zero(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_integer_vector(*drawn)) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  std::sort(values.begin(), values.end());
  values.front() = 0;
  change(call, *drawn->tensor, values, text(name, "sorted ascending from 0"));
}

void order_bag_offsets(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_integer_vector(*drawn)) return;
  // functional.embedding_bag calls the indices input.
  const dump::TensorMeta* indices = call.recorded("indices");
  if (!indices) indices = call.recorded("input");
  if (!indices || indices->shape.size() != 1) return;
  const int64_t end = indices->shape[0];
  if (end < 0) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  for (int64_t& value : values) value = std::clamp<int64_t>(value, 0, end);
  std::sort(values.begin(), values.end());
  const auto outputs = call.outputs();
  const auto offsets = static_cast<int64_t>(values.size());
  const bool ends = call.is_true("include_last_offset") ||
                    (!outputs.empty() && !outputs[0]->shape.empty() && outputs[0]->shape[0] == offsets - 1);
  if (ends) values.back() = end;
  values.front() = 0;
  change(call, *drawn->tensor, values, text(name, "sorted ascending from 0"));
}

void order_batch_sizes(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const dump::TensorMeta* data = call.recorded("data");
  // The same place holds hx where the sequence is not packed.
  if (!drawn || !is_integer_vector(*drawn) || !data || data->shape.empty()) return;
  const int64_t sum = data->shape[0];
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  std::string note = text(name, "made descending with sum " + std::to_string(sum));
  if (!reach_sum(values, 1, sum, note)) return;
  std::sort(values.begin(), values.end(), std::greater<>());
  change(call, *drawn->tensor, values, note);
}

void order_pack_lengths(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_integer_vector(*drawn)) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  for (int64_t& value : values) value = std::max<int64_t>(value, 1);
  std::string note = text(name, "made descending");
  const auto outputs = call.outputs();  // the rows of all sequences, then how many sequences each step has
  if (!outputs.empty() && !outputs[0]->shape.empty()) {
    const int64_t sum = outputs[0]->shape[0];
    std::string with_sum = note + " with sum " + std::to_string(sum);
    if (reach_sum(values, 1, sum, with_sum)) note = with_sum;
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  change(call, *drawn->tensor, values, note);
}

void sum_segment_lengths(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const auto sum = segment_data(call);
  if (!drawn || !sum || drawn->tensor->dim() == 0) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  std::string note = text(name, "made to sum up to " + std::to_string(*sum));
  bool reached = true;
  for_each_row(values, drawn->tensor->size(-1), [&](auto begin, auto end) {
    std::vector<int64_t> row(begin, end);
    std::string said = note;
    reached = reached && reach_sum(row, 0, *sum, said);
    std::copy(row.begin(), row.end(), begin);
  });
  if (reached) change(call, *drawn->tensor, values, note);
}

void order_segment_offsets(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const auto size = segment_data(call);
  if (!drawn || !size || drawn->tensor->dim() == 0) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  for_each_row(values, drawn->tensor->size(-1), [&](auto begin, auto end) {
    for (auto value = begin; value != end; ++value) *value = std::clamp<int64_t>(*value, 0, *size);
    std::sort(begin, end);
    *(end - 1) = *size;
    *begin = 0;
  });
  change(call, *drawn->tensor, values, text(name, "sorted ascending from 0 to " + std::to_string(*size)));
}

void sum_repeats(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const auto outputs = call.outputs();
  if (!drawn || !is_integer_vector(*drawn) || drawn->tensor->numel() < 2 || outputs.empty()) return;
  const auto dim = dimension(call.integer("dim").value_or(0), outputs[0]->shape.size());
  if (!dim) return;
  const int64_t sum = outputs[0]->shape[*dim];
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  std::string note = text(name, "made to sum up to the " + std::to_string(sum) + " recorded output rows");
  if (reach_sum(values, 0, sum, note)) change(call, *drawn->tensor, values, note);
}

void split_as_recorded(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const dump::TensorMeta* data = call.recorded("input");
  if (!drawn || !is_integer_vector(*drawn) || !data) return;
  const auto dim = dimension(call.integer("dim").value_or(0), data->shape.size());
  const auto outputs = call.outputs();
  if (!dim || static_cast<int64_t>(outputs.size()) != drawn->tensor->numel() + 1) return;
  std::vector<int64_t> values;
  const int64_t whole = data->shape[*dim];
  int64_t end = 0;
  for (const dump::TensorMeta* output : outputs) {
    if (output->shape.size() != data->shape.size()) return;
    const int64_t part = output->shape[*dim];
    if (part < 0 || part > whole - end) return;  // parts that overlap: no single answer
    values.push_back(end += part);
  }
  if (end != whole) return;
  values.pop_back();
  change(call, *drawn->tensor, values, text(name, "taken from the sizes of the recorded outputs"));
}

void fit_target_lengths(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const dump::TensorMeta* targets = call.recorded("targets");
  if (!drawn || !is_integer_vector(*drawn)) return;
  std::vector<int64_t> lengths = integers_of(*drawn->tensor);
  if (targets && targets->shape.size() == 1) {  // all targets one after the other
    std::string note = text(name, "made to sum up to the " + std::to_string(targets->shape[0]) + " targets");
    if (reach_sum(lengths, 0, targets->shape[0], note)) change(call, *drawn->tensor, lengths, note);
  }
  // No path exists where a target is longer than its input: the loss is inf, which proves nothing.
  const auto input_place = call.find("input_lengths");
  const at::Tensor* inputs = call.tensor(input_place);
  if (!inputs || inputs->numel() != drawn->tensor->numel()) return;
  std::vector<int64_t> input_lengths = integers_of(*inputs);
  const auto longer = [&] {
    return !std::equal(lengths.begin(), lengths.end(), input_lengths.begin(), std::less_equal<>());
  };
  const auto drawn_inputs = call.drawn_at(input_place);
  if (!longer() || !drawn_inputs) return;
  std::sort(lengths.begin(), lengths.end());
  std::sort(input_lengths.begin(), input_lengths.end());
  change(call, *drawn_inputs->tensor, input_lengths, "input_lengths sorted ascending");
  change(call, *drawn->tensor, lengths, text(name, "sorted ascending"));
}

void order_group_list(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_integer_vector(*drawn)) return;
  const int64_t by_default = call.name() == "npu_grouped_matmul_finalize_routing" ? 1 : 0;
  const int64_t type = call.integer("group_list_type").value_or(by_default);
  if (type == 0) return sort_ascending(call, place, name);  // where each group ends; the last is the recorded Max
  if (type != 1) return;
  // How many rows each group has.
  const auto rows_place = call.find("x");
  if (!rows_place) return;
  const dump::Argument* rows = &at(call.forward(), *rows_place);
  if (const auto* list = rows->get_if<dump::ListArg>(); list && list->items.size() == 1) rows = &list->items[0];
  const auto* meta = rows->get_if<dump::TensorMeta>();
  if (!meta || meta->shape.empty()) return;
  const int64_t sum = meta->shape[0];
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  std::string note = text(name, "made to sum up to " + std::to_string(sum));
  if (reach_sum(values, 0, sum, note)) change(call, *drawn->tensor, values, note);
}

void sort_by_sorter(ValidCall& call, Place place, std::string_view name) {
  const auto sorter_place = call.find("sorter");
  const auto sorter = call.drawn_at(sorter_place);
  if (!sorter) {
    if (!call.tensor(sorter_place)) sort_ascending(call, place, name);
    return;
  }
  const at::Tensor* sequence = call.tensor(place);
  if (!sequence || sequence->sizes() != sorter->tensor->sizes()) return;
  const at::Tensor order = std::get<1>(at::sort(sequence->detach(), /*stable=*/true, -1, /*descending=*/false));
  if (at::equal(order, sorter->tensor->to(at::kLong))) return;
  sorter->tensor->copy_(order);
  call.note(text("sorter", "made to sort ").append(name));
}

}  // namespace msprobe::inputs
