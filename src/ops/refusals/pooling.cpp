// Pools: sizes that are missing, too many, or do not fit the window.
#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

// None in output_size keeps the input's size, so the input needs one dimension more.
void check_sizes_left_out(const PythonCall& c) {
  const auto* sizes = c["output_size"].get_if<inputs::List>();
  if (sizes != nullptr && c.tensor("input").dim() <= static_cast<int64_t>(sizes->items.size()))
    value_error("Input dimension should be at least " + std::to_string(sizes->items.size() + 1));
}

const RefusalRegistration adaptive_avg_pool({"adaptive_avg_pool2d", "adaptive_avg_pool3d"}, "input, output_size",
                                            check_sizes_left_out);
const RefusalRegistration adaptive_max_pool({"adaptive_max_pool2d", "adaptive_max_pool3d",
                                             "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices"},
                                            "input, output_size, return_indices=False", check_sizes_left_out);

void check_fractional(const char* function, size_t most, const PythonCall& c) {
  if (c.has("output_size")) return;
  if (!c.has("output_ratio"))
    value_error(std::string(function) + " requires specifying either an output_size or an output_ratio");
  const auto* ratios = c["output_ratio"].get_if<inputs::List>();
  if (most > 0 && ratios != nullptr && ratios->items.size() > most)
    value_error(std::string(function) + " requires output_ratio to either be a single Int or tuple of Ints.");
}

constexpr const char* kFractional =
    "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None";
const RefusalRegistration fractional2({"fractional_max_pool2d", "fractional_max_pool2d_with_indices"}, kFractional,
                                      [](const PythonCall& c) { check_fractional("fractional_max_pool2d", 2, c); });
const RefusalRegistration fractional3({"fractional_max_pool3d", "fractional_max_pool3d_with_indices"}, kFractional,
                                      [](const PythonCall& c) { check_fractional("fractional_max_pool3d", 0, c); });

// The size before pooling may differ from what the window says by less than one stride.
void check_asked_size(const inputs::List& given, const std::vector<int64_t>& fitting,
                      const std::vector<int64_t>& stride) {
  const size_t rank = fitting.size();
  inputs::List asked = given;
  if (asked.items.size() == rank + 2) asked.items.erase(asked.items.begin(), asked.items.begin() + 2);
  if (asked.items.size() != rank)
    value_error("output_size should be a sequence containing " + std::to_string(rank) + " or " +
                std::to_string(rank + 2) + " elements, but it has a length of '" + std::to_string(asked.items.size()) +
                "'");
  for (size_t d = 0; d < rank; ++d) {
    const auto* size = asked.items[d].get_if<int64_t>();
    const int64_t least = fitting[d] - stride[d], most = fitting[d] + stride[d];
    if (size != nullptr && (*size <= least || *size >= most))
      value_error("invalid output_size \"" + python_text(asked) + "\" (dim " + std::to_string(d) + " must be between " +
                  std::to_string(least) + " and " + std::to_string(most) + ")");
  }
}

void check_unpool(size_t rank, const PythonCall& c) {
  const at::Tensor input = c.tensor("input");
  const auto kernel = c.integers("kernel_size", rank), padding = c.integers("padding", rank);
  const auto* no_stride = c["stride"].get_if<inputs::List>();
  const bool given = c.has("stride") && !(no_stride != nullptr && no_stride->items.empty());
  const auto stride = given ? c.integers("stride", rank) : kernel;
  if (kernel.size() != rank || padding.size() != rank || stride.size() != rank) return;
  const int64_t dims = input.dim(), first = dims - static_cast<int64_t>(rank);
  if (first < 0) return;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < rank; ++d)
    sizes.push_back((input.size(first + static_cast<int64_t>(d)) - 1) * stride[d] + kernel[d] - 2 * padding[d]);
  if (const auto* asked = c["output_size"].get_if<inputs::List>()) {
    check_asked_size(*asked, sizes, stride);
    sizes = c.integers("output_size");
    sizes.erase(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(rank));
  }
  for (size_t d = 0; d < rank; ++d)
    if (sizes[d] < 0)
      value_error("max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[" +
                  std::to_string(d) + "]=" + std::to_string(sizes[d]));
}

constexpr const char* kUnpool = "input, indices, kernel_size, stride=None, padding=0, output_size=None";
const RefusalRegistration unpool1({"max_unpool1d"}, kUnpool, [](const PythonCall& c) { check_unpool(1, c); });
const RefusalRegistration unpool2({"max_unpool2d"}, kUnpool, [](const PythonCall& c) { check_unpool(2, c); });
const RefusalRegistration unpool3({"max_unpool3d"}, kUnpool, [](const PythonCall& c) { check_unpool(3, c); });

}  // namespace
}  // namespace msprobe::ops
