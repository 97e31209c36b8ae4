// Live values of a call's arguments and results: what Python objects are to PyTorch's argument parser.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>
#include <c10/util/complex.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace msprobe::inputs {

struct Value;
struct None {};
/// Recorded as `{}`: most often a dtype given by position (docs/execution.md#what-a-record-leaves-open).
struct Opaque {};
struct BigInt {
  std::string digits;
};
struct Ellipsis {};
struct Slice {
  std::vector<Value> parts;
};  ///< start, stop, step: None, int64_t or Tensor
struct List {
  std::vector<Value> items;
  bool is_size = false;
};  ///< list, tuple (dumps write them alike) or torch.Size
struct Dict {
  std::vector<std::pair<std::string, Value>> items;
};

/// One argument or result. is_numpy marks numpy scalars: an int64 of numpy fits where int does, a numpy bool is no
/// bool.
struct Value {
  using Variant = std::variant<None, Opaque, bool, int64_t, BigInt, double, c10::complex<double>, std::string, Ellipsis,
                               at::ScalarType, at::Layout, at::Device, at::MemoryFormat, Slice, List, Dict, at::Tensor>;
  Variant v;
  bool is_numpy = false;

  Value() = default;
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, Value> && !std::is_integral_v<std::decay_t<T>>) Value(T&& x)
      : v(std::forward<T>(x)) {}                // NOLINT: implicit on purpose, adaptors read like Python
  Value(bool x) : v(x) {}                       // NOLINT
  Value(int64_t x) : v(x) {}                    // NOLINT
  Value(int x) : v(static_cast<int64_t>(x)) {}  // NOLINT
  Value(const char* x) : v(std::string(x)) {}   // NOLINT

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v);
  }
  template <class T>
  const T& get() const {
    return std::get<T>(v);
  }
  template <class T>
  T& get() {
    return std::get<T>(v);
  }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&v);
  }
  template <class T>
  T* get_if() {
    return std::get_if<T>(&v);
  }
  bool is_none() const { return is<None>(); }
  bool is_tensor() const { return is<at::Tensor>(); }
  bool is_number() const { return is<bool>() || is<int64_t>() || is<double>() || is<c10::complex<double>>(); }
};

/// A call's arguments. Tensors are shared, not copied, by copying this struct.
struct Arguments {
  std::vector<Value> args;
  std::vector<std::pair<std::string, Value>> kwargs;

  const Value* kwarg(std::string_view name) const {
    for (const auto& [k, v] : kwargs)
      if (k == name) return &v;
    return nullptr;
  }
};

/// Calls f(Tensor&) on every tensor of v, in order, nested ones included (lists, dicts, slices).
template <class F>
void for_each_tensor(Value& v, F&& f) {
  if (auto* t = v.get_if<at::Tensor>())
    f(*t);
  else if (auto* l = v.get_if<List>())
    for (auto& x : l->items) for_each_tensor(x, f);
  else if (auto* d = v.get_if<Dict>())
    for (auto& [k, x] : d->items) for_each_tensor(x, f);
  else if (auto* s = v.get_if<Slice>())
    for (auto& x : s->parts) for_each_tensor(x, f);
}
template <class F>
void for_each_tensor(Arguments& a, F&& f) {
  for (auto& x : a.args) for_each_tensor(x, f);
  for (auto& [k, x] : a.kwargs) for_each_tensor(x, f);
}

/// "torch.float16"; the spelling of both CSV files.
std::string dtype_name(at::ScalarType dtype);
/// Takes "torch.float16" and "float16" and torch's second names; nullopt otherwise.
std::optional<at::ScalarType> parse_scalar_type(std::string_view name);

}  // namespace msprobe::inputs
