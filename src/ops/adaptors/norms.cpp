// torch.norm and what torch.nn.functional builds on it.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

// torch/functional.py: norm. Never aten::norm, which accumulates differently.
Value norm(const at::Tensor& input, const Value& p, const Value& dim, const Value& keepdim, const Value& dtype,
           const Value& out) {
  std::vector<std::pair<std::string, Value>> keywords{{"dtype", dtype}};
  if (!out.is_none()) keywords.emplace_back("out", out);
  const Value dims = dim.is_none() || dim.is<List>() ? dim : list_of({dim});
  if (!p.is<std::string>()) {
    return aten("linalg_vector_norm", {input, p.is_none() ? Value(2.0) : p, dims, keepdim}, std::move(keywords));
  }
  const bool few = dims.is_none() || dims.get<List>().items.size() <= 2;
  if (p.get<std::string>() == "fro" && few) {
    return aten("linalg_vector_norm", {input, 2, dims, keepdim}, std::move(keywords));
  }
  Value matrix = dims;
  if (dims.is_none()) {
    std::vector<int64_t> all(static_cast<size_t>(input.dim()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    matrix = list_of(all);
  }
  return aten("linalg_matrix_norm", {input, p, matrix, keepdim}, std::move(keywords));
}

MSPROBE_ADAPTOR("Torch.norm") {
  const PythonCall c("torch.norm", "input, p='fro', dim=None, keepdim=False, out=None, dtype=None", arguments);
  return norm(c.tensor("input"), c["p"], c["dim"], c["keepdim"], c["dtype"], c["out"]);
}

MSPROBE_ADAPTOR("Tensor.norm") {
  const PythonCall c("Tensor.norm", "self, p='fro', dim=None, keepdim=False, dtype=None", arguments);
  return norm(c.tensor("self"), c["p"], c["dim"], c["keepdim"], c["dtype"], None{});
}

MSPROBE_ADAPTOR("Functional.normalize") {
  const PythonCall c("normalize", "input, p=2.0, dim=1, eps=1e-12, out=None", arguments);
  const at::Tensor input = c.tensor("input");
  const Value length = norm(input, c["p"], c["dim"], true, None{}, None{});
  const bool in_place = c.has("out");
  const at::Tensor clamped = aten_t(in_place ? "clamp_min_" : "clamp_min", {length, c["eps"]});
  const at::Tensor divisor = aten_t("expand_as", {clamped, input});
  if (in_place) return aten("div", {input, divisor}, {{"out", c["out"]}});
  return aten("div", {input, divisor});
}

// The mean of squares over `size` neighbouring channels: channels become a spatial dimension of their own.
at::Tensor mean_over_channels(const at::Tensor& squares, int64_t size) {
  const int64_t before = size / 2, after = (size - 1) / 2;
  if (squares.dim() == 3) {
    const at::Tensor wide = aten_t("pad", {aten_t("unsqueeze", {squares, 1}), list_of({0, 0, before, after})});
    return aten_t("squeeze", {aten_t("avg_pool2d", {wide, list_of({size, 1}), 1}), 1});
  }
  const auto sizes = squares.sizes().vec();
  const at::Tensor volume = aten_t("view", {squares, list_of({sizes[0], 1, sizes[1], sizes[2], -1})});
  const at::Tensor wide = aten_t("pad", {volume, list_of({0, 0, 0, 0, before, after})});
  const at::Tensor mean = aten_t("squeeze", {aten_t("avg_pool3d", {wide, list_of({size, 1, 1}), 1}), 1});
  return aten_t("view", {mean, list_of(sizes)});
}

MSPROBE_ADAPTOR("Functional.local_response_norm") {
  const PythonCall c("local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0", arguments);
  const at::Tensor input = c.tensor("input");
  TORCH_CHECK_VALUE(input.dim() >= 3, "local_response_norm: expected 3 or more dimensions, got ", input.dim());
  if (input.numel() == 0) return input;
  const at::Tensor mean = mean_over_channels(aten_t("mul", {input, input}), c.integer("size"));
  const at::Tensor scaled = aten_t("add", {aten_t("mul", {mean, c["alpha"]}), c["k"]});
  return aten("div", {input, aten_t("pow", {scaled, c["beta"]})});
}

}  // namespace
}  // namespace msprobe::ops
