// Losses that torch.nn.functional computes in Python, or prepares more than a table row says.
#include <numbers>

#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

std::pair<at::Tensor, at::Tensor> broadcast(const PythonCall& c) {
  const Value both = aten("broadcast_tensors", {list_of({c["input"], c["target"]})});
  return {tensor_at(both, 0), tensor_at(both, 1)};
}

// The weighted forms of mse_loss and l1_loss: the mean is one over the sum of the weights.
Value weighted(const at::Tensor& errors, const Value& weight, const std::string& reduction) {
  const at::Tensor loss = aten_t("mul", {errors, weight});
  if (reduction == "mean") return aten("div", {aten_t("sum", {loss}), aten_t("sum", {weight})});
  return reduced(loss, reduction);
}

MSPROBE_ADAPTOR("Functional.mse_loss") {
  const PythonCall c("mse_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None",
                     arguments);
  const auto [input, target] = broadcast(c);
  const std::string reduction = reduction_of(c);
  if (!c.has("weight")) return aten("mse_loss", {input, target, reduction_number(reduction)});
  return weighted(aten_t("pow", {aten_t("sub", {input, target}), 2}), c["weight"], reduction);
}

MSPROBE_ADAPTOR("Functional.l1_loss") {
  const PythonCall c("l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None",
                     arguments);
  const auto [input, target] = broadcast(c);
  const std::string reduction = reduction_of(c);
  if (!c.has("weight")) return aten("l1_loss", {input, target, reduction_number(reduction)});
  return weighted(aten_t("abs", {aten_t("sub", {input, target})}), c["weight"], reduction);
}

MSPROBE_ADAPTOR("Functional.smooth_l1_loss") {
  const PythonCall c("smooth_l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0",
                     arguments);
  const auto [input, target] = broadcast(c);
  const int64_t reduction = reduction_number(reduction_of(c));
  if (c.number("beta") == 0) return aten("l1_loss", {input, target, reduction});
  return aten("smooth_l1_loss", {input, target, reduction, c["beta"]});
}

MSPROBE_ADAPTOR("Functional.huber_loss") {
  const PythonCall c("huber_loss", "input, target, reduction='mean', delta=1.0, weight=None", arguments);
  const auto [input, target] = broadcast(c);
  const std::string reduction = reduction_of(c);
  if (!c.has("weight")) return aten("huber_loss", {input, target, reduction_number(reduction), c["delta"]});
  const at::Tensor loss = aten_t("huber_loss", {input, target, reduction_number("none"), c["delta"]});
  return reduced(aten_t("mul", {loss, c["weight"]}), reduction);
}

MSPROBE_ADAPTOR("Functional.binary_cross_entropy") {
  const PythonCall c("binary_cross_entropy",
                     "input, target, weight=None, size_average=None, reduce=None, reduction='mean'", arguments);
  Value weight = c["weight"];
  if (c.has("weight")) {
    const auto shape = at::infer_size(c.tensor("target").sizes(), c.tensor("weight").sizes());
    weight = aten_t("expand", {weight, list_of(shape)});
  }
  return aten("binary_cross_entropy", {c["input"], c["target"], weight, reduction_number(reduction_of(c))});
}

MSPROBE_ADAPTOR("Functional.kl_div") {
  const PythonCall c("kl_div", "input, target, size_average=None, reduce=None, reduction='mean', log_target=False",
                     arguments);
  const at::Tensor input = c.tensor("input");
  const bool by_batch = c.string("reduction") == "batchmean";
  std::string reduction = reduction_of(c);
  if (reduction == "batchmean") reduction = "sum";
  const at::Tensor loss =
      aten_t("kl_div", {input, c["target"], reduction_number(reduction)}, {{"log_target", c["log_target"]}});
  return by_batch && input.dim() != 0 ? aten("div", {loss, input.size(0)}) : Value(loss);
}

// The variance as a tensor that broadcasts to the input.
at::Tensor variance(const PythonCall& c, const at::Tensor& input) {
  const at::Tensor var =
      c["var"].is_tensor() ? c.tensor("var") : aten_t("mul", {aten_t("ones_like", {input}), c.number("var")});
  const bool one_for_all =
      var.sizes() != input.sizes() && input.dim() > 0 && input.sizes().slice(0, input.dim() - 1) == var.sizes();
  return one_for_all ? aten_t("unsqueeze", {var, -1}) : var;
}

MSPROBE_ADAPTOR("Functional.gaussian_nll_loss") {
  const PythonCall c("gaussian_nll_loss", "input, target, var, full=False, eps=1e-06, reduction='mean'", arguments);
  const at::Tensor input = c.tensor("input");
  const at::Tensor var = aten_t("clone", {variance(c, input)});
  {
    const at::NoGradGuard constant;  // the clamp leaves the gradient of var as it is
    aten("clamp_", {var}, {{"min", c["eps"]}});
  }
  const at::Tensor square = aten_t("pow", {aten_t("sub", {input, c["target"]}), 2});
  const at::Tensor sum = aten_t("add", {aten_t("log", {var}), aten_t("div", {square, var})});
  at::Tensor loss = aten_t("mul", {sum, 0.5});
  if (c.boolean("full")) loss = aten_t("add_", {loss, 0.5 * std::log(2 * std::numbers::pi)});
  return reduced(loss, reduction_of(c));
}

MSPROBE_ADAPTOR("Functional.multilabel_soft_margin_loss") {
  const PythonCall c("multilabel_soft_margin_loss",
                     "input, target, weight=None, size_average=None, reduce=None, reduction='mean'", arguments);
  const at::Tensor input = c.tensor("input");
  const at::Tensor hit = aten_t("mul", {c["target"], aten_t("log_sigmoid", {input})});
  const at::Tensor miss =
      aten_t("mul", {aten_t("rsub", {c["target"], 1}), aten_t("log_sigmoid", {aten_t("neg", {input})})});
  at::Tensor loss = aten_t("neg", {aten_t("add", {hit, miss})});
  if (c.has("weight")) loss = aten_t("mul", {loss, c["weight"]});
  const int64_t classes = input.dim() - 1;
  loss = aten_t("div", {aten_t("sum", {loss}, {{"dim", classes}}), input.size(classes)});
  return reduced(loss, reduction_of(c));
}

// A callable distance_function is recorded as null, like None. torch.nn.TripletMarginWithDistanceLoss passes
// PairwiseDistance() by default, so null stands for that.
MSPROBE_ADAPTOR("Functional.triplet_margin_with_distance_loss") {
  const PythonCall c("triplet_margin_with_distance_loss",
                     "anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction='mean'",
                     arguments);
  if (c.has("distance_function")) throw NoMatch("triplet_margin_with_distance_loss: distance_function is not recorded");
  const auto distance = [](const Value& a, const Value& b) { return aten_t("pairwise_distance", {a, b}); };
  const at::Tensor near = distance(c["anchor"], c["positive"]);
  at::Tensor far = distance(c["anchor"], c["negative"]);
  if (c.boolean("swap")) far = aten_t("minimum", {far, distance(c["positive"], c["negative"])});
  const at::Tensor gap = aten_t("sub", {aten_t("add", {near, c["margin"]}), far});
  return reduced(aten_t("clamp_min", {gap, 0}), reduction_of(c));
}

// Without `options`, whose fields are not recorded, this is linear followed by cross_entropy.
MSPROBE_ADAPTOR("Functional.linear_cross_entropy") {
  const PythonCall c(
      "linear_cross_entropy",
      "input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, "
      "label_smoothing=0.0, options=None",
      arguments);
  const at::Tensor input = c.tensor("input");
  at::Tensor matrix = c.tensor("linear_weight");
  Value bias = c["linear_bias"];
  TORCH_CHECK(input.dim() > 0 && matrix.dim() >= 2,
              "linear_cross_entropy: expected input of 1 or 2 and linear_weight of 2 or more dimensions");
  auto shape = input.sizes().slice(0, input.dim() - 1).vec();
  shape.insert(shape.end(), matrix.sizes().begin(), matrix.sizes().end() - 1);
  if (matrix.dim() > 2) {
    matrix = aten_t("reshape", {matrix, list_of({-1, matrix.size(-1)})});
    if (c.has("linear_bias")) bias = aten_t("reshape", {bias, list_of({-1})});
  }
  const at::Tensor logits = aten_t("reshape", {aten_t("linear", {input, matrix, bias}), list_of(shape)});
  const int64_t ignored = c.has("ignore_index") ? c.integer("ignore_index") : -100;
  return aten("cross_entropy_loss",
              {logits, c["target"], c["weight"], reduction_number(reduction_of(c)), ignored, c["label_smoothing"]});
}

}  // namespace
}  // namespace msprobe::ops
