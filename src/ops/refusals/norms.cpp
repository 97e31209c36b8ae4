// Normalisation: statistics of one value, and tensors with too few dimensions.
#include <functional>
#include <numeric>

#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

int64_t product(at::IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The product of all sizes but the channels'.
bool one_value_a_channel(at::IntArrayRef sizes) {
  return !sizes.empty() && sizes[0] * (sizes.size() > 2 ? product(sizes.slice(2)) : 1) == 1;
}

constexpr const char* kOneValue = "Expected more than 1 value per channel when training, got input size ";

const RefusalRegistration batch_norm(
    {"batch_norm"}, "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05",
    [](const PythonCall& c) {
      const at::Tensor input = c.tensor("input");
      const bool training = c.boolean("training");
      if (training && one_value_a_channel(input.sizes())) value_error(kOneValue + size_text(input.sizes()));
      const double eps = c.number("eps");
      if (training && eps <= 0)
        value_error("batch_norm eps must be positive during training, but got " + python_text(c["eps"]));
      if (eps < 0) value_error("batch_norm eps must be non-negative, but got " + python_text(c["eps"]));
    });

const RefusalRegistration instance_norm(
    {"instance_norm"},
    "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05",
    [](const PythonCall& c) {
      const at::Tensor input = c.tensor("input");
      if (c.boolean("use_input_stats") && product(input.sizes().slice(std::min<int64_t>(2, input.dim()))) == 1)
        value_error("Expected more than 1 spatial element when training, got input size " + size_text(input.sizes()));
    });

const RefusalRegistration group_norm({"group_norm"}, "input, num_groups, weight=None, bias=None, eps=1e-05",
                                     [](const PythonCall& c) {
                                       const at::Tensor input = c.tensor("input");
                                       const int64_t groups = c.integer("num_groups");
                                       if (input.dim() < 2)
                                         runtime_error("Expected at least 2 dimensions for input tensor but received " +
                                                       std::to_string(input.dim()));
                                       if (groups <= 0) return;
                                       std::vector<int64_t> sizes = {input.size(0) * input.size(1) / groups, groups};
                                       sizes.insert(sizes.end(), input.sizes().begin() + 2, input.sizes().end());
                                       if (one_value_a_channel(sizes)) value_error(kOneValue + list_text(sizes));
                                     });

const RefusalRegistration local_response_norm({"local_response_norm"}, "input, size, alpha=0.0001, beta=0.75, k=1.0",
                                              [](const PythonCall& c) {
                                                const int64_t dim = c.tensor("input").dim();
                                                if (dim < 3)
                                                  value_error("Expected 3D or higher dimensionality input (got " +
                                                              std::to_string(dim) + " dimensions)");
                                              });

}  // namespace
}  // namespace msprobe::ops
