// Pooling of torch.nn.functional: results with or without indices, sizes with gaps, fractional and power-average pools.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

std::string with_rank(std::string_view stem, int64_t rank, std::string_view tail = "") {
  return std::string(stem) + std::to_string(rank) + "d" + std::string(tail);
}

// ---- max_pool

constexpr const char* kMaxPool =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False";

Value max_pool(int64_t rank, bool always_indices, const Arguments& arguments) {
  const PythonCall c(with_rank("max_pool", rank), kMaxPool, arguments);
  const Value stride = c.has("stride") ? c["stride"] : list_of(std::vector<int64_t>{});
  const bool indices = always_indices || c.boolean("return_indices");
  return aten(with_rank("max_pool", rank, indices ? "_with_indices" : ""),
              {c["input"], c["kernel_size"], stride, c["padding"], c["dilation"], c["ceil_mode"]});
}

MSPROBE_ADAPTOR("Functional.max_pool1d") {
  return max_pool(1, false, arguments);
}
MSPROBE_ADAPTOR("Functional.max_pool2d") {
  return max_pool(2, false, arguments);
}
MSPROBE_ADAPTOR("Functional.max_pool3d") {
  return max_pool(3, false, arguments);
}
MSPROBE_ADAPTOR("Functional.max_pool1d_with_indices") {
  return max_pool(1, true, arguments);
}
MSPROBE_ADAPTOR("Functional.max_pool2d_with_indices") {
  return max_pool(2, true, arguments);
}
MSPROBE_ADAPTOR("Functional.max_pool3d_with_indices") {
  return max_pool(3, true, arguments);
}

// ---- adaptive pools

// None in output_size keeps the size of the input's dimension, counted from the last.
Value filled(const Value& output_size, const at::Tensor& input) {
  const auto* list = output_size.get_if<List>();
  if (!list) return output_size;
  std::vector<Value> sizes = list->items;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].is_none()) sizes[i] = input.size(static_cast<int64_t>(i) - static_cast<int64_t>(sizes.size()));
  }
  return list_of(std::move(sizes));
}

Value adaptive_avg_pool(int64_t rank, const Arguments& arguments) {
  const std::string op = with_rank("adaptive_avg_pool", rank);
  const PythonCall c(op, "input, output_size", arguments);
  return aten(op, {c["input"], filled(c["output_size"], c.tensor("input"))});
}

Value adaptive_max_pool(int64_t rank, bool always_indices, const Arguments& arguments) {
  const std::string op = with_rank("adaptive_max_pool", rank);
  const PythonCall c(op, "input, output_size, return_indices=False", arguments);
  const Value both = aten(op, {c["input"], filled(c["output_size"], c.tensor("input"))});
  return always_indices || c.boolean("return_indices") ? both : Value(tensor_at(both, 0));
}

MSPROBE_ADAPTOR("Functional.adaptive_avg_pool2d") {
  return adaptive_avg_pool(2, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_avg_pool3d") {
  return adaptive_avg_pool(3, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool1d") {
  return adaptive_max_pool(1, false, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool2d") {
  return adaptive_max_pool(2, false, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool3d") {
  return adaptive_max_pool(3, false, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool1d_with_indices") {
  return adaptive_max_pool(1, true, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool2d_with_indices") {
  return adaptive_max_pool(2, true, arguments);
}
MSPROBE_ADAPTOR("Functional.adaptive_max_pool3d_with_indices") {
  return adaptive_max_pool(3, true, arguments);
}

// ---- fractional_max_pool

Value fractional_max_pool(int64_t rank, bool always_indices, const Arguments& arguments) {
  const std::string op = with_rank("fractional_max_pool", rank);
  const PythonCall c(
      op, "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
      arguments);
  const at::Tensor input = c.tensor("input");
  Value output_size = c["output_size"];
  if (!c.has("output_size")) {
    const auto ratios = for_each_dim(c["output_ratio"], static_cast<size_t>(rank), "output_ratio");
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < rank; ++i) {
      const auto size = static_cast<double>(input.size(i - rank));
      sizes.push_back(static_cast<int64_t>(size * as_double(ratios[static_cast<size_t>(i)], "output_ratio")));
    }
    output_size = list_of(sizes);
  }
  Value samples = c["_random_samples"];
  if (!c.has("_random_samples")) {
    const int64_t batch = input.dim() == rank + 1 ? 1 : input.size(0);
    samples = aten("rand", {list_of({batch, input.size(-rank - 1), rank})},
                   {{"dtype", input.scalar_type()}, {"device", input.device()}});
  }
  const Value both = aten(op, {input, c["kernel_size"], output_size, samples});
  return always_indices || c.boolean("return_indices") ? both : Value(tensor_at(both, 0));
}

MSPROBE_ADAPTOR("Functional.fractional_max_pool2d") {
  return fractional_max_pool(2, false, arguments);
}
MSPROBE_ADAPTOR("Functional.fractional_max_pool3d") {
  return fractional_max_pool(3, false, arguments);
}
MSPROBE_ADAPTOR("Functional.fractional_max_pool2d_with_indices") {
  return fractional_max_pool(2, true, arguments);
}
MSPROBE_ADAPTOR("Functional.fractional_max_pool3d_with_indices") {
  return fractional_max_pool(3, true, arguments);
}

// ---- max_unpool

// The size before pooling: what the pooling parameters say, or output_size, which may carry batch and channels in
// front.
std::vector<int64_t> unpooled_size(const PythonCall& c, const at::Tensor& input, size_t rank,
                                   const std::vector<int64_t>& stride) {
  if (c.has("output_size")) {
    auto sizes = c.integers("output_size");
    if (sizes.size() == rank + 2) sizes.erase(sizes.begin(), sizes.begin() + 2);
    return sizes;
  }
  const auto kernel = c.integers("kernel_size", rank), padding = c.integers("padding", rank);
  for (const auto* numbers : {&kernel, &padding, &stride})
    TORCH_CHECK_VALUE(numbers->size() == rank, "max_unpool", rank, "d: expected kernel_size, stride and padding of ",
                      rank, " numbers, got ", numbers->size());
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = input.size(static_cast<int64_t>(i) - static_cast<int64_t>(rank)) - 1, border = 0;
    const bool beyond =
        __builtin_mul_overflow(size, stride[i], &size) || __builtin_add_overflow(size, kernel[i], &size) ||
        __builtin_mul_overflow(padding[i], int64_t{2}, &border) || __builtin_sub_overflow(size, border, &size);
    TORCH_CHECK_VALUE(!beyond, "max_unpool", rank, "d: the size before pooling is beyond 64 bits");
    sizes.push_back(size);
  }
  return sizes;
}

Value max_unpool(size_t rank, const Arguments& arguments) {
  const PythonCall c(with_rank("max_unpool", static_cast<int64_t>(rank)),
                     "input, indices, kernel_size, stride=None, padding=0, output_size=None", arguments);
  const at::Tensor input = c.tensor("input");
  const auto* no_stride = c["stride"].get_if<List>();
  const bool given = c.has("stride") && !(no_stride && no_stride->items.empty());
  const auto stride = c.integers(given ? "stride" : "kernel_size", rank);
  auto size = unpooled_size(c, input, rank, stride);
  if (rank == 3)
    return aten("max_unpool3d",
                {input, c["indices"], list_of(size), list_of(stride), list_of(c.integers("padding", rank))});
  if (rank == 2) return aten("max_unpool2d", {input, c["indices"], list_of(size)});
  size.push_back(1);
  const at::Tensor plane = aten_t(
      "max_unpool2d", {aten_t("unsqueeze", {input, -1}), aten_t("unsqueeze", {c["indices"], -1}), list_of(size)});
  return aten("squeeze", {plane, -1});
}

MSPROBE_ADAPTOR("Functional.max_unpool1d") {
  return max_unpool(1, arguments);
}
MSPROBE_ADAPTOR("Functional.max_unpool2d") {
  return max_unpool(2, arguments);
}
MSPROBE_ADAPTOR("Functional.max_unpool3d") {
  return max_unpool(3, arguments);
}

// ---- lp_pool

Value lp_pool(size_t rank, const Arguments& arguments) {
  const auto dims = static_cast<int64_t>(rank);
  const PythonCall c(with_rank("lp_pool", dims), "input, norm_type, kernel_size, stride=None, ceil_mode=False",
                     arguments);
  const Value stride = c.has("stride") ? c["stride"] : list_of(std::vector<int64_t>{});
  const double p = c.number("norm_type");
  if (std::isinf(p)) {
    const at::Tensor size = aten_t("abs", {c["input"]});
    const at::Tensor result = aten_t(with_rank("max_pool", dims), {p > 0 ? size : aten_t("neg", {size}),
                                                                   c["kernel_size"], stride, 0, 1, c["ceil_mode"]});
    return p > 0 ? Value(result) : aten("neg", {result});
  }
  int64_t volume = 1;
  for (const int64_t k : c.integers("kernel_size", rank))
    TORCH_CHECK_VALUE(!__builtin_mul_overflow(volume, k, &volume), "lp_pool: kernel_size is beyond 64 bits");
  const at::Tensor mean = aten_t(with_rank("avg_pool", dims), {aten_t("pow", {c["input"], c["norm_type"]}),
                                                               c["kernel_size"], stride, 0, c["ceil_mode"]});
  const at::Tensor positive = aten_t("mul", {aten_t("sign", {mean}), aten_t("relu", {aten_t("abs", {mean})})});
  return aten("pow", {aten_t("mul", {positive, volume}), 1.0 / p});
}

MSPROBE_ADAPTOR("Functional.lp_pool1d") {
  return lp_pool(1, arguments);
}
MSPROBE_ADAPTOR("Functional.lp_pool2d") {
  return lp_pool(2, arguments);
}
MSPROBE_ADAPTOR("Functional.lp_pool3d") {
  return lp_pool(3, arguments);
}

}  // namespace
}  // namespace msprobe::ops
