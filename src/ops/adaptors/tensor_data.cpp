#include "ops/adaptors/tensor_data.h"

#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

bool is_index(const Value& v) {
  return v.is<int64_t>();
}

// All numbers of the nest in order, in the widest type of their kind, and the shape of the nest.
template <class T>
class Flattened {
 public:
  explicit Flattened(const Value& data) {
    measure(data);
    collect(data, 0);
  }
  at::Tensor tensor(at::ScalarType storage) {
    return at::from_blob(numbers_.data(), shape_, at::TensorOptions(storage)).clone();
  }

 private:
  // The first item of each level tells its length.
  void measure(const Value& v) {
    if (const auto* list = v.get_if<List>()) {
      shape_.push_back(static_cast<int64_t>(list->items.size()));
      if (!list->items.empty()) measure(list->items.front());
    } else if (const auto* t = v.get_if<at::Tensor>()) {
      shape_.insert(shape_.end(), t->sizes().begin(), t->sizes().end());
    }
  }

  void collect(const Value& v, size_t depth) {
    if (const auto* list = v.get_if<List>()) {
      if (depth >= shape_.size() || static_cast<int64_t>(list->items.size()) != shape_[depth]) ragged(depth);
      for (const Value& item : list->items) collect(item, depth + 1);
    } else if (const auto* t = v.get_if<at::Tensor>()) {
      if (t->sizes() != at::IntArrayRef(shape_).slice(std::min(depth, shape_.size()))) ragged(depth);
      const at::Tensor flat = t->detach().to(at::kCPU, c10::CppTypeToScalarType<T>::value).contiguous();
      const T* first = flat.template data_ptr<T>();
      numbers_.insert(numbers_.end(), first, first + flat.numel());
    } else {
      if (depth != shape_.size()) ragged(depth);
      numbers_.push_back(number(v));
    }
  }

  static T number(const Value& v) {
    if (const auto* x = v.get_if<bool>()) return static_cast<T>(*x);
    if (const auto* x = v.get_if<int64_t>()) return static_cast<T>(*x);
    if constexpr (std::is_same_v<T, c10::complex<double>>) {
      if (const auto* x = v.get_if<c10::complex<double>>()) return *x;
    }
    if (const auto* x = v.get_if<double>()) return static_cast<T>(*x);
    throw NoMatch("tensor data: expected numbers, tensors and lists of them");
  }

  [[noreturn]] static void ragged(size_t depth) {
    throw NoMatch("tensor data: items of different length at dimension " + std::to_string(depth));
  }

  std::vector<int64_t> shape_;
  std::vector<T> numbers_;
};

}  // namespace

at::ScalarType dtype_of_data(const Value& data) {
  const at::ScalarType real = at::typeMetaToScalarType(at::get_default_dtype());
  if (const auto* list = data.get_if<List>()) {
    std::optional<at::ScalarType> common;
    for (const Value& item : list->items) {
      const at::ScalarType dtype = dtype_of_data(item);
      common = common ? at::promote_types(*common, dtype) : dtype;
    }
    return common.value_or(real);
  }
  if (const auto* t = data.get_if<at::Tensor>()) return t->scalar_type();
  if (data.is<bool>()) return at::kBool;
  if (is_index(data)) return at::kLong;
  if (data.is<double>()) return real;
  if (data.is<c10::complex<double>>()) return at::toComplexType(real);
  throw NoMatch("tensor data: expected numbers, tensors and lists of them");
}

at::Tensor tensor_of_data(const Value& data, std::optional<at::ScalarType> dtype) {
  const at::ScalarType target = dtype ? *dtype : dtype_of_data(data);
  if (const auto* t = data.get_if<at::Tensor>()) return t->detach().to(target, /*non_blocking=*/false, /*copy=*/true);
  const at::ScalarType content = dtype_of_data(data);
  if (at::isComplexType(target) || at::isComplexType(content)) {
    return Flattened<c10::complex<double>>(data).tensor(at::kComplexDouble).to(target);
  }
  if (at::isFloatingType(target)) return Flattened<double>(data).tensor(at::kDouble).to(target);
  return Flattened<int64_t>(data).tensor(at::kLong).to(target);
}

}  // namespace msprobe::ops
