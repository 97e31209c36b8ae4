// dropout1d and dropout3d: whole channels, with or without a batch dimension. dropout2d is a table row, for it takes
// 3-D input as (N, C, L) and never adds a batch dimension.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

Value channel_dropout(const char* function, int64_t spatial, const Arguments& arguments) {
  const PythonCall c(function, "input, p=0.5, training=True, inplace=False", arguments);
  const std::string suffix = c.boolean("inplace") ? "_" : "";
  at::Tensor input = c.tensor("input");
  const bool batched = input.dim() == spatial + 2;
  if (!batched) input = aten_t("unsqueeze" + suffix, {input, 0});
  const at::Tensor result = aten_t("feature_dropout" + suffix, {input, c["p"], c["training"]});
  return batched ? Value(result) : aten("squeeze" + suffix, {result, 0});
}

MSPROBE_ADAPTOR("Functional.dropout1d") {
  return channel_dropout("dropout1d", 1, arguments);
}
MSPROBE_ADAPTOR("Functional.dropout3d") {
  return channel_dropout("dropout3d", 3, arguments);
}

}  // namespace
}  // namespace msprobe::ops
