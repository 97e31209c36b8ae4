#include <ATen/ATen.h>

#include <algorithm>

#include "inputs/adjust.h"
#include "inputs/valid_rules.h"

namespace msprobe::inputs {
namespace {

/// Turns `count` elements on, the others off. A mask's own ends stay as planted where count allows it.
void turn_on(ValidCall& call, const Drawn& drawn, int64_t count, std::string_view name, std::string_view whence) {
  at::Tensor& tensor = *drawn.tensor;
  const int64_t n = tensor.numel();
  const at::NoGradGuard no_grad;
  const at::Tensor flat = tensor.detach().view({-1});
  const at::Tensor on = flat.ne(0);
  if (count < 0 || count > n || on.sum().item<int64_t>() == count) return;
  const auto end = [&](int64_t i) { return on[i].item<bool>() ? 1 : 0; };
  const std::vector<bool> chosen = choose(call.words(drawn), n, count, end(0), end(n - 1));
  at::Tensor wanted = at::empty({n}, at::TensorOptions().dtype(at::kBool));
  std::copy(chosen.begin(), chosen.end(), static_cast<bool*>(wanted.data_ptr()));
  // An element that must not be 0 and was drawn so takes a bound of the range that is not: the last element or the
  // first.
  at::Tensor filler = flat[n - 1].clone();
  if (!end(n - 1)) filler = end(0) ? flat[0].clone() : at::ones_like(filler);
  flat.copy_(at::where(wanted, at::where(on, flat, filler), at::zeros_like(filler)));
  const bool mask = tensor.scalar_type() == at::kBool;
  call.note(std::string(name)
                .append(": ")
                .append(std::to_string(count) + " of " + std::to_string(n) + (mask ? " true" : " not 0"))
                .append(", as ")
                .append(whence)
                .append(" shows"));
}

std::optional<int64_t> first_output_size(ValidCall& call) {
  const auto outputs = call.outputs();
  if (outputs.empty() || outputs[0]->shape.empty()) return std::nullopt;
  return outputs[0]->shape[0];
}

constexpr std::string_view kOutput = "the recorded output's shape", kValue = "the value's shape";

/// How often each element of the mask counts when it is stretched over self; nullopt: they do not go together.
std::optional<int64_t> stretch(const at::Tensor& mask, const dump::TensorMeta* self, int64_t* total) {
  if (!self || mask.numel() == 0) return std::nullopt;
  std::vector<int64_t> sizes = mask.sizes().vec(), other = self->shape;
  if (sizes.size() < other.size()) sizes.swap(other);
  for (size_t i = 1; i <= other.size(); ++i) {
    int64_t& size = sizes[sizes.size() - i];
    const int64_t with = other[other.size() - i];
    if (size != with && size != 1 && with != 1) return std::nullopt;
    if (size == 1) size = with;
  }
  *total = elements_of(sizes);
  return *total / mask.numel();
}

// ---- x[index]

bool is_mask(const dump::TensorMeta& meta) {
  const auto dtype = dump::parse_dtype(meta.dtype);
  return dtype == dump::Dtype::kBool || dtype == dump::Dtype::kUint8;
}

/// How an index expression lays out its result.
struct Layout {
  size_t rank = 0;  ///< dimensions of the result
  /// Dimension of the result that holds what masks select: the last of the advanced block. nullopt: there is no such
  /// block, where integers, slices and 0-dim tensors alone index (x[1, 2] is a view without dimensions).
  std::optional<size_t> advanced;
  int64_t with = 1;  ///< size of that dimension in index tensors beside the masks
};

/// nullopt: the expression asks for more dimensions than x has. `none_is_slice`: operators' way; Python's adds one.
std::optional<Layout> layout_of(const std::vector<const dump::Argument*>& items, size_t x_rank, bool none_is_slice) {
  size_t consumed = 0;
  for (const dump::Argument* item : items) {
    if (const auto* meta = item->get_if<dump::TensorMeta>())
      consumed += is_mask(*meta) ? meta->shape.size() : 1;
    else if (item->is<dump::NoneArg>())
      consumed += none_is_slice;
    else if (!item->is<dump::EllipsisArg>() && !item->is<bool>())
      consumed += 1;
  }
  if (consumed > x_rank) return std::nullopt;
  bool ellipsis = false, inside = false, left = false, apart = false;
  size_t plain = 0, before = 0, block = 0;
  Layout layout;
  for (const dump::Argument* item : items) {
    const auto* meta = item->get_if<dump::TensorMeta>();
    if (meta || item->is<dump::ListArg>() || item->is<bool>()) {
      const bool selects = !meta || is_mask(*meta);
      block = std::max(block, selects ? 1 : meta->shape.size());
      if (!selects && !meta->shape.empty()) layout.with = std::max(layout.with, meta->shape.back());
      if (const auto* list = item->get_if<dump::ListArg>())
        layout.with = std::max(layout.with, static_cast<int64_t>(list->items.size()));
      apart = apart || left;
      if (!inside) before = plain;
      inside = true;
    } else if (!item->is<int64_t>()) {
      size_t width = 1;
      if (item->is<dump::EllipsisArg>()) {
        width = x_rank - consumed;
        ellipsis = true;
      }
      plain += width;
      left = inside;  // an advanced index from here on is apart from the block
    }
  }
  if (!ellipsis) plain += x_rank - consumed;
  layout.rank = plain + block;
  if (block > 0) layout.advanced = (apart ? 0 : before) + block - 1;
  return layout;
}

/// Elements that the masks select together, by the recorded output or the value that is put there.
std::optional<int64_t> selected(const Layout& layout, const std::vector<int64_t>& shape, bool is_value) {
  if (!layout.advanced || (!is_value && shape.size() != layout.rank)) return std::nullopt;
  // Aligned at the end, as broadcasting does; a value's leading dimensions may be missing, or 1 and too many.
  const auto from_end = static_cast<int64_t>(layout.rank - *layout.advanced);
  const int64_t dim = static_cast<int64_t>(shape.size()) - from_end;
  if (dim >= 0 && (!is_value || shape[static_cast<size_t>(dim)] != 1)) return shape[static_cast<size_t>(dim)];
  return layout.with > 1 ? std::optional<int64_t>(layout.with) : std::nullopt;
}

}  // namespace

void count_selected(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const auto outputs = call.outputs();
  if (!drawn || outputs.size() != 1) return;
  int64_t total = 0;
  const auto times = stretch(*drawn->tensor, call.recorded("input"), &total);
  const int64_t rows = elements_of(outputs[0]->shape);
  if (times && *times > 0 && rows % *times == 0) turn_on(call, *drawn, rows / *times, name, kOutput);
}

void count_scattered(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  const dump::TensorMeta* source = call.recorded("source");
  if (!drawn || !source) return;
  int64_t total = 0;
  const auto times = stretch(*drawn->tensor, call.recorded("input"), &total);
  const int64_t given = elements_of(source->shape);
  if (!times || *times <= 0 || given < 0 || given >= total)
    return;  // a source as large as x does not say how much was taken
  turn_on(call, *drawn, given / *times, name, "the source's size");
}

void count_nonzero(ValidCall& call, Place place, std::string_view name) {
  if (call.name() == "where" && call.forward().args.size() + call.forward().kwargs.size() > 1) return;
  const auto drawn = call.drawn_at(place);
  const auto rows = first_output_size(call);
  if (drawn && rows) turn_on(call, *drawn, *rows, name, kOutput);
}

void fit_index(ValidCall& call, Place place, std::string_view) {
  const bool python = call.name() == "__getitem__" || call.name() == "__setitem__";
  const bool puts = call.name() != "__getitem__" && call.name() != "index" && call.name() != "_unsafe_index";
  const dump::TensorMeta* x = call.recorded("input");
  if (!x) return;
  const dump::Argument& index = at(call.forward(), place);
  std::vector<const dump::Argument*> items;
  if (const auto* list = index.get_if<dump::ListArg>())
    for (const dump::Argument& item : list->items) items.push_back(&item);
  else
    items.push_back(&index);
  const auto layout = layout_of(items, x->shape.size(), /*none_is_slice=*/!python);
  if (!layout) return;

  const dump::TensorMeta* value = nullptr;
  if (puts) value = call.recorded("value");
  const auto outputs = call.outputs();
  std::optional<int64_t> count;
  if (value) count = selected(*layout, value->shape, true);
  if (!puts && outputs.size() == 1) count = selected(*layout, outputs[0]->shape, false);
  // Elements that are put twice are a race on a device.
  const bool races = value && elements_of(value->shape) > 1 && !call.is_true("accumulate");
  for (const Drawn& drawn : call.drawn(place)) {
    const std::string name = drawn.position == position_of(call.forward(), place)
                                 ? call.label(place)
                                 : call.label(place) + drawn.position.substr(drawn.position.rfind('.'));
    if (is_mask(*drawn.meta)) {
      if (count) turn_on(call, drawn, *count, name, puts ? kValue : kOutput);
    } else if (races) {
      make_distinct(call, drawn, name, drawn.tensor->view({1, -1}));
    }
  }
}

}  // namespace msprobe::inputs
