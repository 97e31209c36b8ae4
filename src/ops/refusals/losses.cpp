// Losses: shapes that differ, and words and numbers that they do not take.
#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

at::IntArrayRef sizes_of(const PythonCall& c, const char* parameter) {
  return c[parameter].get<at::Tensor>().sizes();
}
void expect_tensors(const PythonCall& c, std::initializer_list<const char*> parameters) {
  for (const char* parameter : parameters) c.tensor(parameter);
}

// ---- reduction alone

const RefusalRegistration nll_loss(
    {"nll_loss"}, "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration cross_entropy(
    {"cross_entropy"},
    "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
    "label_smoothing=0.0",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration kl_div({"kl_div"},
                                 "input, target, size_average=None, reduce=None, reduction='mean', log_target=False",
                                 [](const PythonCall& c) { check_reduction(c, /*with_batchmean=*/true); });
const RefusalRegistration poisson_nll_loss(
    {"poisson_nll_loss"},
    "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration hinge_embedding_loss(
    {"hinge_embedding_loss"}, "input, target, margin=1.0, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration of_two({"multilabel_margin_loss", "soft_margin_loss"},
                                 "input, target, size_average=None, reduce=None, reduction='mean'",
                                 [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration cosine_embedding_loss(
    {"cosine_embedding_loss"}, "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration ctc_loss(
    {"ctc_loss"}, "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False",
    [](const PythonCall& c) { check_reduction(c); });
const RefusalRegistration smooth_l1_loss({"smooth_l1_loss"},
                                         "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0",
                                         [](const PythonCall& c) { check_reduction(c); });

// ---- shapes

const RefusalRegistration binary_cross_entropy(
    {"binary_cross_entropy"}, "input, target, weight=None, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) {
      check_reduction(c);
      expect_tensors(c, {"input", "target"});
      if (sizes_of(c, "target") != sizes_of(c, "input"))
        value_error("Using a target size (" + size_text(sizes_of(c, "target")) +
                    ") that is different to the input size (" + size_text(sizes_of(c, "input")) +
                    ") is deprecated. Please ensure they have the same size.");
    });

const RefusalRegistration with_logits(
    {"binary_cross_entropy_with_logits"},
    "input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None",
    [](const PythonCall& c) {
      check_reduction(c);
      expect_tensors(c, {"input", "target"});
      if (sizes_of(c, "target") != sizes_of(c, "input"))
        value_error("Target size (" + size_text(sizes_of(c, "target")) + ") must be the same as input size (" +
                    size_text(sizes_of(c, "input")) + ")");
    });

// These only warn of targets of other shapes; their weights must have the input's.
void check_weighted(const PythonCall& c) {
  expect_tensors(c, {"input"});
  if (!c.has("weight")) return check_reduction(c);
  if (c.tensor("weight").sizes() != sizes_of(c, "input")) value_error("Weights and input must have the same size.");
  const std::string reduction = c.string("reduction");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    value_error("Invalid reduction mode: " + reduction + ". Expected one of 'none', 'mean', 'sum'.");
}
const RefusalRegistration weighted({"l1_loss", "mse_loss"},
                                   "input, target, size_average=None, reduce=None, reduction='mean', weight=None",
                                   check_weighted);
const RefusalRegistration huber_loss({"huber_loss"}, "input, target, reduction='mean', delta=1.0, weight=None",
                                     check_weighted);

const RefusalRegistration margin_ranking_loss(
    {"margin_ranking_loss"}, "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) {
      check_reduction(c);
      expect_tensors(c, {"input1", "input2", "target"});
      const auto one = sizes_of(c, "input1"), two = sizes_of(c, "input2"), target = sizes_of(c, "target");
      if (one.size() != two.size() || one.size() != target.size())
        runtime_error("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: " +
                      size_text(one) + ", input2: " + size_text(two) + ", target: " + size_text(target) + " ");
    });

const RefusalRegistration multi_margin_loss(
    {"multi_margin_loss"},
    "input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) {
      check_reduction(c);
      const double p = c.number("p");
      if (p != 1 && p != 2) value_error("only p == 1 and p == 2 supported");
      if (c.has("weight") && c.tensor("weight").dim() != 1) value_error("weight must be one-dimensional");
    });

const RefusalRegistration multilabel_soft_margin_loss(
    {"multilabel_soft_margin_loss"}, "input, target, weight=None, size_average=None, reduce=None, reduction='mean'",
    [](const PythonCall& c) {
      if (c.has("size_average") || c.has("reduce")) return;
      const std::string reduction = c.string("reduction");
      if (reduction != "none" && reduction != "mean" && reduction != "sum") value_error(reduction + " is not valid");
    });

// Negative variances are values, which a dump of statistics does not hold; a number is.
const RefusalRegistration gaussian_nll_loss(
    {"gaussian_nll_loss"}, "input, target, var, full=False, eps=1e-06, reduction='mean'", [](const PythonCall& c) {
      const at::Tensor input = c.tensor("input");
      if (const auto* number = c["var"].get_if<double>()) {
        if (*number < 0) value_error("var has negative entry/entries");
      } else if (const at::Tensor var = c.tensor("var"); var.sizes() != input.sizes()) {
        const bool last_left_out = input.dim() > 0 && input.sizes().slice(0, input.dim() - 1) == var.sizes();
        int64_t own = 0;  // sum of its sizes that differ from the input's
        if (var.dim() == input.dim())
          for (int64_t i = 0; i < var.dim(); ++i) own += var.size(i) != input.size(i) ? var.size(i) : 0;
        if (!last_left_out && !(var.dim() == input.dim() && own == 1)) value_error("var is of incorrect size");
      }
      const std::string reduction = c.string("reduction");
      if (reduction != "none" && reduction != "mean" && reduction != "sum") value_error(reduction + " is not valid");
    });

// ---- triplets

void check_margin(const PythonCall& c) {
  if (c.number("margin") <= 0) value_error("margin must be greater than 0, got " + python_text(c["margin"]));
}

const RefusalRegistration triplet_margin_loss(
    {"triplet_margin_loss"},
    "anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, "
    "reduction='mean'",
    [](const PythonCall& c) {
      check_reduction(c);
      check_margin(c);
    });

const RefusalRegistration with_distance(
    {"triplet_margin_with_distance_loss"},
    "anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction='mean'",
    [](const PythonCall& c) {
      const std::string reduction = c.string("reduction");
      if (reduction != "mean" && reduction != "sum" && reduction != "none")
        value_error(reduction + " is not a valid value for reduction");
      check_margin(c);
      const auto a = c.tensor("anchor").dim(), p = c.tensor("positive").dim(), n = c.tensor("negative").dim();
      if (a != p || p != n)
        runtime_error(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor " +
            std::to_string(a) + "D, positive " + std::to_string(p) + "D, and negative " + std::to_string(n) +
            "D inputs");
    });

}  // namespace
}  // namespace msprobe::ops
