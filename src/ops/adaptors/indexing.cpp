// x[index] and x[index] = value, as torch/csrc/autograd/python_variable_indexing.cpp does them: integers, slices, None
// and
// `...` make views, one after the other; what is left are index tensors for aten::index and aten::index_put_.
//
// A dump writes tuples and lists alike. The plain adaptors read a list as the tuple that it most often was; the ones
// ending in "#list" read it as one index tensor: x[[0, 2]].
#include "ops/adaptors/python.h"
#include "ops/adaptors/tensor_data.h"

namespace msprobe::ops {
namespace {

bool is_mask(const at::Tensor& t) {
  return t.scalar_type() == at::kBool || t.scalar_type() == at::kByte;
}

// An index given as nested numbers. Anything but truth values counts as int64, also an empty list, also 1.0.
at::Tensor index_tensor(const Value& list, const at::Device& device) {
  const at::ScalarType dtype = dtype_of_data(list);
  const bool mask = dtype == at::kBool || dtype == at::kByte;
  return tensor_of_data(list, mask ? dtype : at::kLong).to(device);
}

class Indexing {
 public:
  Indexing(const at::Tensor& x, const Value& index, bool list_is_tensor) : original_(x), view_(x) {
    const auto* list = index.get_if<List>();
    if (list && !(list_is_tensor && !list->is_size)) {
      items_ = list->items;
    } else {
      items_ = {index};
    }
    alone_ = !list;
    for (Value& item : items_) {
      if (item.is<List>()) item = index_tensor(item, x.device());
    }
    count_dims();
    for (size_t i = 0; i < items_.size(); ++i) step(i);
    while (!tensors_.empty() && tensors_.back().is_none()) tensors_.pop_back();
  }

  const at::Tensor& view() const { return view_; }
  bool has_tensors() const { return !tensors_.empty(); }
  Value tensors() const { return list_of(tensors_); }

 private:
  // Dimensions of x that the items use up; the rest is for `...`.
  void count_dims() {
    for (const Value& item : items_) {
      if (item.is_none() || item.is<Ellipsis>() || item.is<bool>()) continue;
      const auto* t = item.get_if<at::Tensor>();
      used_ += t && is_mask(*t) ? t->dim() : 1;
    }
    if (used_ > original_.dim()) {
      TORCH_CHECK_INDEX(false, "too many indices for tensor of dimension ", original_.dim());
    }
  }

  void step(size_t place) {
    const Value& item = items_[place];
    if (item.is_none()) {
      view_ = aten_t("unsqueeze", {view_, dim_});
      pass(1);
    } else if (item.is<Ellipsis>()) {
      pass(original_.dim() - used_);
    } else if (const auto* truth = item.get_if<bool>()) {
      add_truth(*truth);
    } else if (const auto* i = item.get_if<int64_t>()) {
      select(*i, place);
    } else if (const auto* slice = item.get_if<Slice>()) {
      cut(*slice);
      pass(1);
    } else if (const auto* t = item.get_if<at::Tensor>()) {
      add(*t, place);
    } else {
      throw NoMatch("index " + std::to_string(place) +
                    ": expected an integer, a slice, None, `...`, a tensor or a list");
    }
  }

  void add(const at::Tensor& t, size_t place) {
    const bool number = t.dim() == 0 && at::isIntegralType(t.scalar_type(), /*includeBool=*/true);
    if (!number) return record(t);
    if (is_mask(t)) return add_truth(t.item().toBool());
    select(t.item().toLong(), place);
  }

  // x[True] has a new first dimension of one, x[False] one of none.
  void add_truth(bool truth) {
    view_ = aten_t("unsqueeze", {view_, dim_});
    record(truth ? at::zeros({1}, view_.options().dtype(at::kLong)) : at::empty({0}, view_.options().dtype(at::kLong)));
  }

  void select(int64_t i, size_t place) {
    TORCH_CHECK_INDEX(view_.dim() > 0, "invalid index of a 0-dim tensor");
    const int64_t size = view_.size(dim_);
    TORCH_CHECK_INDEX(-size <= i && i < size, "index ", i, " is out of bounds for dimension ", place, " with size ",
                      size);
    view_ = aten_t("select", {view_, dim_, i});
  }

  void cut(const Slice& slice) {
    const auto part = [&](size_t n, int64_t absent) {
      return n < slice.parts.size() && !slice.parts[n].is_none() ? as_integer(slice.parts[n], "slice") : absent;
    };
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    const int64_t start = part(0, 0), stop = part(1, kEnd), step = part(2, 1);
    TORCH_CHECK_VALUE(step > 0, "step must be greater than zero");
    TORCH_CHECK_INDEX(view_.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
    // Among several items a slice that takes everything is no operation; alone it is, for x[:] is a new view.
    if (!alone_ && start == 0 && step == 1 && view_.size(dim_) <= stop) return;
    view_ = aten_t("slice", {view_, dim_, start, stop, step});
  }

  // Index tensors stand at the dimension that they index; those before the first one are filled with None.
  void record(const at::Tensor& t) {
    if (tensors_.empty()) tensors_.resize(static_cast<size_t>(dim_));
    tensors_.push_back(t);
    dim_ += is_mask(t) ? t.dim() : 1;
  }

  void pass(int64_t dims) {
    dim_ += dims;
    if (!tensors_.empty()) tensors_.resize(tensors_.size() + static_cast<size_t>(dims));
  }

  at::Tensor original_, view_;
  std::vector<Value> items_;
  bool alone_ = false;
  int64_t used_ = 0;
  int64_t dim_ = 0;
  std::vector<Value> tensors_;
};

Value get_item(const Arguments& arguments, bool list_is_tensor) {
  const PythonCall c("Tensor.__getitem__", "self, index", arguments);
  const at::Tensor x = c.tensor("self");
  const Indexing indexing(x, c["index"], list_is_tensor);
  if (indexing.has_tensors()) return aten("index", {indexing.view(), indexing.tensors()});
  return indexing.view().is_same(x) ? aten("alias", {x}) : Value(indexing.view());
}

at::Tensor without_leading_ones(const at::Tensor& t) {
  const auto sizes = t.sizes();
  size_t first = 0;
  while (first < sizes.size() && sizes[first] == 1) ++first;
  return first == 0 ? t : aten_t("view", {t, list_of(sizes.slice(first))});
}

// A number becomes a CPU tensor of x's dtype outside of autograd, as Python makes it.
at::Tensor as_tensor(const Value& value, const at::Tensor& x) {
  if (const auto* t = value.get_if<at::Tensor>()) return *t;
  return tensor_of_data(value, x.scalar_type());
}

// dst[...] = src for a view: equal shapes, a number, or a shape that broadcasts once its leading ones are gone.
void copy_into(const at::Tensor& dst, const at::Tensor& src) {
  if (dst.sizes() == src.sizes()) {
    aten("copy_", {dst, src});
  } else if (src.dim() == 0 && src.is_cpu()) {
    aten("fill_", {dst, src});
  } else {
    aten("copy_", {dst, aten_t("expand", {without_leading_ones(src), list_of(dst.sizes())})});
  }
}

Value set_item(const Arguments& arguments, bool list_is_tensor) {
  const PythonCall c("Tensor.__setitem__", "self, index, value", arguments);
  const at::Tensor x = c.tensor("self");
  const at::Tensor value = as_tensor(c["value"], x);
  if (const auto* truth = c["index"].get_if<bool>(); truth && !*truth) return None{};
  const Indexing indexing(x, c["index"], list_is_tensor);
  if (!indexing.has_tensors()) {
    copy_into(indexing.view(), value);
    return None{};
  }
  // index_put_ wants the same dtype; the golden side may have raised one of the two.
  at::Tensor source = value.scalar_type() == x.scalar_type() ? value : aten_t("to", {value, x.scalar_type()});
  if (source.device() != x.device()) source = source.to(x.device());
  aten("index_put_", {indexing.view(), indexing.tensors(), without_leading_ones(source)});
  return None{};
}

MSPROBE_ADAPTOR("Tensor.__getitem__") {
  return get_item(arguments, false);
}
MSPROBE_ADAPTOR("Tensor.__getitem__#list") {
  return get_item(arguments, true);
}
MSPROBE_ADAPTOR("Tensor.__setitem__") {
  return set_item(arguments, false);
}
MSPROBE_ADAPTOR("Tensor.__setitem__#list") {
  return set_item(arguments, true);
}

}  // namespace
}  // namespace msprobe::ops
