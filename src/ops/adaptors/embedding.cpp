// Look-ups in a table of vectors.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

// Rows longer than max_norm are shortened in place, unseen by autograd.
void renormalise(const at::Tensor& weight, const at::Tensor& rows, const PythonCall& c) {
  const at::NoGradGuard constant;
  aten("embedding_renorm_", {aten_t("detach", {weight}), rows, c["max_norm"], c["norm_type"]});
}

MSPROBE_ADAPTOR("Functional.embedding") {
  const PythonCall c(
      "embedding",
      "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
      arguments);
  at::Tensor input = c.tensor("input");
  const at::Tensor weight = c.tensor("weight");
  int64_t padding = c.has("padding_idx") ? c.integer("padding_idx") : -1;
  if (c.has("padding_idx") && padding < 0) padding += weight.size(0);
  if (c.has("max_norm")) {
    input = aten_t("contiguous", {input});
    renormalise(weight, input, c);
  }
  return aten("embedding", {weight, input, padding, c["scale_grad_by_freq"], c["sparse"]});
}

int64_t bag_mode(const std::string& mode) {
  if (mode == "sum") return 0;
  if (mode == "mean") return 1;
  if (mode == "max") return 2;
  throw NoMatch("embedding_bag: expected mode sum, mean or max, got " + mode);
}

MSPROBE_ADAPTOR("Functional.embedding_bag") {
  const PythonCall c(
      "embedding_bag",
      "input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', "
      "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None",
      arguments);
  at::Tensor input = c.tensor("input"), weight = c.tensor("weight");
  if (weight.scalar_type() == at::kLong && input.is_floating_point())
    std::swap(input, weight);  // the order of old programs
  Value offsets = c["offsets"], sample_weights = c["per_sample_weights"], last_offset = c["include_last_offset"];
  if (input.dim() == 2) {  // one bag a row
    offsets =
        aten("arange", {0, input.numel(), input.size(1)}, {{"dtype", input.scalar_type()}, {"device", input.device()}});
    last_offset = false;
    input = aten_t("reshape", {input, list_of({-1})});
    if (c.has("per_sample_weights")) sample_weights = aten("reshape", {sample_weights, list_of({-1})});
  }
  const int64_t mode = bag_mode(c.string("mode"));
  if (c.has("max_norm")) renormalise(weight, input, c);
  const Value four = aten("embedding_bag", {weight, input, offsets, c["scale_grad_by_freq"], mode, c["sparse"],
                                            sample_weights, last_offset, c["padding_idx"]});
  return tensor_at(four, 0);
}

}  // namespace
}  // namespace msprobe::ops
