// Short ways to write records in the tests of this room.
#pragma once
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "inputs/build.h"

namespace msprobe::inputs::testing {

inline dump::TensorMeta tensor_meta(std::string dtype, std::vector<int64_t> shape, dump::Statistic max,
                                    dump::Statistic min) {
  dump::TensorMeta meta;
  meta.type = "torch.Tensor";
  meta.dtype = std::move(dtype);
  meta.shape = std::move(shape);
  meta.max = std::move(max);
  meta.min = std::move(min);
  return meta;
}

inline dump::Argument argument(dump::Argument::Variant value, std::string numpy_type = "") {
  return {std::move(value), std::move(numpy_type)};
}

/// A record "Type.name.0".
inline dump::Record record(const std::string& type, const std::string& name, dump::ArgumentList args = {},
                           std::vector<std::pair<std::string, dump::Argument>> kwargs = {}) {
  dump::Record result;
  result.name = {type, name, "0", type + "." + name + ".0"};
  result.forward.args = std::move(args);
  result.forward.kwargs = std::move(kwargs);
  return result;
}

/// Settings and context with their defaults, to change as a test likes.
struct Fixture {
  Options settings;
  std::string tensor_dir = std::string(MSPROBE_TEST_DATA) + "/inputs/dump_tensor_data";
  bool real_data = false, device_is_npu = false;
  std::vector<std::string> notes;

  BuildContext context() const { return {settings, tensor_dir, real_data, device_is_npu}; }
  Built build(const dump::Record& call) const { return build_inputs(call, context()); }
  /// The values of a tensor drawn for "Torch.x.0", input.0.
  at::Tensor draw(const dump::TensorMeta& meta, const std::string& position = "input.0") {
    return build_value(argument(meta), "Torch.x.0", position, context(), notes).get<at::Tensor>();
  }
};

inline std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.detach().to(at::kDouble).contiguous().view({-1});
  const auto* data = wide.data_ptr<double>();
  return {data, data + wide.numel()};
}

inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.is_contiguous() && b.is_contiguous() &&
         std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

}  // namespace msprobe::inputs::testing
