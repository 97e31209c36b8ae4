// One recorded argument or output, as written in dump.json (docs/formats.md#one-argument): a description, no values
// yet.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace msprobe::dump {

/// A recorded Max, Min, ...: absent, null, boolean, exact integer, or floating (may be inf or nan).
/// An integer beyond int64 arrives as double. Other: present but no number (its JSON text).
struct Absent {};
struct Null {};
struct OtherText {
  std::string text;
};
using Statistic = std::variant<Absent, Null, bool, int64_t, double, OtherText>;

/// A tensor (or numpy array) of the dump.
struct TensorMeta {
  std::string type;   ///< "torch.Tensor", "torch.nn.parameter.Parameter", "numpy.ndarray", ...
  std::string dtype;  ///< as recorded: "torch.float16", "float32" (numpy), "torch_npu.HiFloat8Tensor"
  std::vector<int64_t> shape;
  Statistic max, min, mean, norm, max_except_inf_nan, min_except_inf_nan;
  bool requires_grad = false;
  std::string data_name;  ///< file in dump_tensor_data/ ("data_name", older "datapath"); empty: no real data
};

struct Argument;
using ArgumentList = std::vector<Argument>;

/// `null`: None, or an object that the dumper did not understand (layout, generator, callable, complex number).
struct NoneArg {};
/// `{}`: an object that the dumper knows but cannot describe, in particular a positional dtype.
struct OpaqueArg {};
/// An integer beyond 64 bits, as text.
struct BigIntArg {
  std::string digits;
};
struct EllipsisArg {};
struct DtypeArg {
  std::string name;
};  ///< "torch.float16"
struct DeviceArg {
  std::string name;
};  ///< "npu:0", "cpu", "cpu:None"
struct MemoryFormatArg {
  std::string name;
};  ///< "channels_last"
/// slice(start, stop, step); each NoneArg, an integer, or whatever was recorded.
struct SliceArg {
  ArgumentList parts;
};
/// list, tuple (written alike) or torch.Size.
struct ListArg {
  ArgumentList items;
  bool is_size = false;
};
struct DictArg {
  std::vector<std::pair<std::string, Argument>> items;
};
/// A form nobody has seen: the API is SKIP, with `text` quoted.
struct UnknownArg {
  std::string text;
};
/// bool, int64_t, double, std::string are builtins; is_numpy marks numpy scalars (dtype in numpy_type, e.g. "float32").
struct Argument {
  using Variant = std::variant<NoneArg, OpaqueArg, bool, int64_t, BigIntArg, double, std::string, EllipsisArg, DtypeArg,
                               DeviceArg, MemoryFormatArg, SliceArg, ListArg, DictArg, TensorMeta, UnknownArg>;
  Variant value;
  std::string numpy_type;  ///< empty unless a numpy scalar

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value);
  }
  template <class T>
  const T& get() const {
    return std::get<T>(value);
  }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value);
  }
};

}  // namespace msprobe::dump
