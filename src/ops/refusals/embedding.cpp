// Look-ups in a table: its rows, and how bags are given.
#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

const RefusalRegistration embedding(
    {"embedding"},
    "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
    [](const PythonCall& c) {
      if (!c.has("padding_idx")) return;
      const int64_t padding = c.integer("padding_idx"), rows = c.tensor("weight").size(0);
      if ((padding > 0 && padding >= rows) || padding < -rows)
        assertion_error("Padding_idx must be within num_embeddings");
    });

void check_bags(const at::Tensor& input, const PythonCall& c) {
  if (input.dim() == 2) {
    if (c.has("offsets"))
      value_error(
          "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
          "sequences. However, found offsets of type <class 'torch.Tensor'>");
  } else if (input.dim() == 1) {
    if (!c.has("offsets")) value_error("offsets has to be a 1D Tensor but got None");
    if (c.tensor("offsets").dim() != 1) value_error("offsets has to be a 1D Tensor");
  } else {
    value_error("input has to be 1D or 2D Tensor, but got Tensor of dimension " + std::to_string(input.dim()));
  }
}

void check_mode(const PythonCall& c) {
  const std::string mode = c.string("mode");
  if (mode == "max") {
    if (c.boolean("scale_grad_by_freq")) value_error("max mode does not support scaling the gradient by the frequency");
    if (c.boolean("sparse")) value_error("max mode does not support sparse weights");
  } else if (mode != "sum" && mode != "mean") {
    value_error("mode has to be one of sum, mean or max");
  }
  if (c.has("per_sample_weights") && mode != "sum")
    not_implemented(
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
        "mode='" +
        mode + "'). Please open a feature request on GitHub.");
}

const RefusalRegistration embedding_bag(
    {"embedding_bag"},
    "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False, "
    "per_sample_weights=None, include_last_offset=False, padding_idx=None",
    [](const PythonCall& c) {
      at::Tensor input = c.tensor("input"), weight = c.tensor("weight");
      if (weight.scalar_type() == at::kLong && at::isFloatingType(input.scalar_type())) std::swap(input, weight);
      if (c.has("per_sample_weights") && c.tensor("per_sample_weights").sizes() != input.sizes())
        value_error("embedding_bag: If per_sample_weights (" + size_text(c.tensor("per_sample_weights").sizes()) +
                    ") is not None, then it must have the same shape as the input (" + size_text(input.sizes()) + ")");
      if (weight.dim() != 2)
        value_error("weight has to be a 2D Tensor, but got Tensor of dimension " + std::to_string(weight.dim()));
      check_bags(input, c);
      check_mode(c);
    });

}  // namespace
}  // namespace msprobe::ops
