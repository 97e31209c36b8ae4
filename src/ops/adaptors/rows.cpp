// Functions of torch.nn.functional that differ from their operator by name, order of parameters, defaults and `inplace`
// alone. Values meet the schema by name; Python's own checks and warnings change no result and are left out.
#include "ops/registry.h"

namespace msprobe::ops {
namespace {

const RowRegistration dropout(R"(
Functional.dropout(input, p=0.5, training=True) -> dropout train=training
Functional.alpha_dropout(input, p=0.5, training=False) -> alpha_dropout train=training
Functional.feature_alpha_dropout(input, p=0.5, training=False) -> feature_alpha_dropout train=training
Functional.dropout2d(input, p=0.5, training=True) -> feature_dropout train=training
)");

// All of these take `inplace` last. Without a row an `inplace` given by position would bind to the operator's next
// argument: elu(x, 1.0, False) would scale by 0.
const RowRegistration activations(R"(
Functional.threshold(input, threshold, value) -> threshold
Functional.relu(input) -> relu
Functional.relu6(input) -> relu6
Functional.hardtanh(input, min_val=-1.0, max_val=1.0) -> hardtanh
Functional.elu(input, alpha=1.0) -> elu
Functional.selu(input) -> selu
Functional.celu(input, alpha=1.0) -> celu
Functional.leaky_relu(input, negative_slope=0.01) -> leaky_relu
Functional.rrelu(input, lower=0.125, upper=0.3333333333333333, training=False) -> rrelu
Functional.silu(input) -> silu
Functional.mish(input) -> mish
Functional.hardswish(input) -> hardswish
Functional.hardsigmoid(input) -> hardsigmoid
Functional.logsigmoid(input) -> log_sigmoid
)");

const RowRegistration norms(R"(
Functional.batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05) -> batch_norm cudnn_enabled=True
Functional.instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05) -> instance_norm cudnn_enabled=True
Functional.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> layer_norm
Functional.group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> group_norm
)");

const RowRegistration losses(R"(
Functional.cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0) -> cross_entropy_loss
Functional.nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean') -> nll_loss_nd
Functional.binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None) -> binary_cross_entropy_with_logits
Functional.cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean') -> cosine_embedding_loss
Functional.margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean') -> margin_ranking_loss
Functional.hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean') -> hinge_embedding_loss
Functional.poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean') -> poisson_nll_loss
Functional.multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean') -> multi_margin_loss
Functional.multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean') -> multilabel_margin_loss
Functional.soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean') -> soft_margin_loss
Functional.triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, reduction='mean') -> triplet_margin_loss
Functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False) -> ctc_loss
)");

const RowRegistration patches(R"(
Functional.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> col2im
Functional.unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> im2col
)");

}  // namespace
}  // namespace msprobe::ops
