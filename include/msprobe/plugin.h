// Goldens of your own, in C++. Write an ordinary function, name it beside its schema, build a shared library, and name
// the library in fused_operators.yaml:
//
//   #include <ATen/ATen.h>
//   #include <msprobe/plugin.h>
//
//   at::Tensor swiglu(const at::Tensor& x, int64_t dim) {
//     auto halves = at::chunk(x, 2, dim);
//     return at::silu(halves[0]) * halves[1];
//   }
//   MSPROBE_GOLDEN("npu_swiglu(Tensor input, int dim=-1) -> Tensor", swiglu)
//
//   operators: {npu_swiglu: {source: libgoldens.so}}
//
// The function gets the arguments of its schema in order, defaults filled in; tensors come in float64 for the golden
// and in recorded precision where it stands for the device. Autograd runs through it. A second function gives gradients
// of its own: it gets one gradient for each floating output, then the arguments, and returns one gradient for each
// floating tensor among them (undefined: none).
//   MSPROBE_GOLDEN("npu_x(Tensor x) -> Tensor", x_forward, x_backward)
// An exception that leaves a function is the reason why that API is skipped.
//
// Types: Tensor: at::Tensor (undefined for None), int: int64_t, float: double, bool, str: std::string, Scalar:
// at::Scalar, ScalarType: int64_t, T[]: std::vector<T>, T?: std::optional<T>. Results: at::Tensor, int64_t, double,
// bool, std::vector<at::Tensor>, or a std::tuple of these.
//
// Build with the LibTorch that msprobe uses (`msprobe --version`): the library is refused when it is another one.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace msprobe::plugin {

/// Changes with every change of the structs below. The first three members of Library keep their places for ever.
constexpr uint32_t kAbiVersion = 1;

using Values = std::vector<c10::IValue>;
using Function = Values (*)(const Values&);

struct Golden {
  const char* schema;  ///< "npu_swiglu(Tensor input, int dim=-1) -> Tensor"
  Function forward;
  Function backward;  ///< nullptr: autograd
};

/// What a library says of itself.
struct Library {
  uint32_t abi_version;
  uint32_t cxx11_abi;         ///< _GLIBCXX_USE_CXX11_ABI
  const char* torch_version;  ///< "2.13.0"
  const Golden* goldens;
  size_t count;
};

/// The same, as bytes of the library's section kSection: read from the file before any code of it runs.
struct BuiltFor {
  uint32_t abi_version;
  uint32_t cxx11_abi;
  char torch_version[64];
};
constexpr const char* kSection = ".msprobe_plugin";

namespace detail {

template <class T>
struct OptionalOf : std::false_type {};
template <class T>
struct OptionalOf<std::optional<T>> : std::true_type {
  using Type = T;
};
template <class T>
struct VectorOf : std::false_type {};
template <class T>
struct VectorOf<std::vector<T>> : std::true_type {
  using Type = T;
};
template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};

template <class T>
T from(const c10::IValue& value) {
  if constexpr (OptionalOf<T>::value) {
    if (value.isNone()) return std::nullopt;
    return from<typename OptionalOf<T>::Type>(value);
  } else if constexpr (VectorOf<T>::value) {
    T items;
    if (value.isNone()) return items;
    const auto list = value.toListRef();
    for (const auto& item : list) items.push_back(from<typename VectorOf<T>::Type>(item));
    return items;
  } else if constexpr (std::is_same_v<T, at::Tensor>) {
    return value.isNone() ? at::Tensor() : value.toTensor();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.toStringRef();
  } else if constexpr (std::is_same_v<T, c10::IValue>) {
    return value;
  } else {
    return value.to<T>();
  }
}

template <class T>
void append(Values& out, T&& result) {
  using R = std::decay_t<T>;
  if constexpr (IsTuple<R>::value) {
    std::apply([&](auto&&... item) { (append(out, std::forward<decltype(item)>(item)), ...); },
               std::forward<T>(result));
  } else if constexpr (std::is_same_v<R, std::vector<at::Tensor>>) {
    for (const auto& t : result) out.emplace_back(t);
  } else {
    out.emplace_back(std::forward<T>(result));
  }
}

template <auto F>
struct Box;
template <class R, class... A, R (*F)(A...)>
struct Box<F> {
  static Values call(const Values& values) { return call(values, std::index_sequence_for<A...>()); }

 private:
  template <size_t... I>
  static Values call([[maybe_unused]] const Values& values, std::index_sequence<I...>) {
    TORCH_CHECK(values.size() == sizeof...(A), "the function takes ", sizeof...(A), " arguments, its schema gives ",
                values.size());
    Values out;
    append(out, F(from<std::decay_t<A>>(values[I])...));
    return out;
  }
};

template <auto Forward, auto Backward = nullptr>
Golden golden(const char* schema) {
  if constexpr (std::is_same_v<decltype(Backward), std::nullptr_t>)
    return {schema, &Box<Forward>::call, nullptr};
  else
    return {schema, &Box<Forward>::call, &Box<Backward>::call};
}

// One list a library: hidden, or two libraries that are loaded side by side would share it.
__attribute__((visibility("hidden"))) inline std::vector<Golden>& goldens() {
  static std::vector<Golden> all;
  return all;
}
__attribute__((visibility("hidden"))) inline bool add(Golden golden) {
  goldens().push_back(golden);
  return true;
}
__attribute__((visibility("hidden"))) inline const Library& library() {
  static const Library it{kAbiVersion, _GLIBCXX_USE_CXX11_ABI, TORCH_VERSION, goldens().data(), goldens().size()};
  return it;
}

}  // namespace detail
}  // namespace msprobe::plugin

#ifndef MSPROBE_PLUGIN_HOST
namespace msprobe::plugin::detail {
__attribute__((section(".msprobe_plugin"), used)) static const BuiltFor built_for{kAbiVersion, _GLIBCXX_USE_CXX11_ABI,
                                                                                  TORCH_VERSION};
}
/// Found by name when the library is loaded.
extern "C" __attribute__((visibility("default"), used)) inline const msprobe::plugin::Library* msprobe_plugin() {
  return &msprobe::plugin::detail::library();
}
#endif

#define MSPROBE_PLUGIN_JOIN_(a, b) a##b
#define MSPROBE_PLUGIN_JOIN(a, b) MSPROBE_PLUGIN_JOIN_(a, b)
/// MSPROBE_GOLDEN(schema, forward) or MSPROBE_GOLDEN(schema, forward, backward), at namespace scope of any of the
/// library's files.
#define MSPROBE_GOLDEN(schema, ...)                                                      \
  [[maybe_unused]] static const bool MSPROBE_PLUGIN_JOIN(msprobe_golden_, __COUNTER__) = \
      ::msprobe::plugin::detail::add(::msprobe::plugin::detail::golden<__VA_ARGS__>(schema));
