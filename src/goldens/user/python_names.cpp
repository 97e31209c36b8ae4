#include "goldens/user/python_names.h"

#include <algorithm>
#include <array>

namespace msprobe::goldens {

const std::vector<FunctionalName>& functional_names() {
  static const std::vector<FunctionalName> kNames = {
      {"adaptive_avg_pool1d", 2, {"output_size"}},
      {"adaptive_avg_pool2d", 2, {"output_size"}},
      {"adaptive_avg_pool3d", 2, {"output_size"}},
      {"avg_pool1d", 6, {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"}},
      {"avg_pool2d", 7, {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"}},
      {"avg_pool3d", 7, {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"}},
      {"bilinear", 4, {"input2", "weight", "bias"}},
      {"binary_cross_entropy", 3, {"target", "weight"}},
      {"binary_cross_entropy_with_logits", 3, {"target", "weight", "pos_weight"}},
      {"celu", 2, {"alpha"}},
      {"conv1d", 7, {"weight", "bias", "stride", "padding", "dilation", "groups"}},
      {"conv2d", 7, {"weight", "bias", "stride", "padding", "dilation", "groups"}},
      {"conv3d", 7, {"weight", "bias", "stride", "padding", "dilation", "groups"}},
      {"conv_transpose1d", 8, {"weight", "bias", "stride", "padding", "output_padding", "groups", "dilation"}},
      {"conv_transpose2d", 8, {"weight", "bias", "stride", "padding", "output_padding", "groups", "dilation"}},
      {"conv_transpose3d", 8, {"weight", "bias", "stride", "padding", "output_padding", "groups", "dilation"}},
      {"cosine_similarity", 4, {"x1", "x2", "dim", "eps"}},
      {"elu", 2, {"alpha"}},
      {"gelu", 1, {"approximate"}},
      {"glu", 2, {"dim"}},
      {"group_norm", 5, {"num_groups", "weight", "bias", "eps"}},
      {"hardshrink", 2, {"lambd"}},
      {"hardsigmoid", 1, {}},
      {"hardswish", 1, {}},
      {"hardtanh", 3, {"min_val", "max_val"}},
      {"huber_loss", 2, {"target", "delta"}},
      {"kl_div", 2, {"target", "log_target"}},
      {"l1_loss", 2, {"target"}},
      {"layer_norm", 5, {"normalized_shape", "weight", "bias", "eps"}},
      {"leaky_relu", 2, {"negative_slope"}},
      {"linear", 3, {"weight", "bias"}},
      {"log_softmax", 2, {"dim", "dtype"}},
      {"max_pool1d", 6, {"kernel_size", "stride", "padding", "dilation", "ceil_mode"}},
      {"max_pool2d", 6, {"kernel_size", "stride", "padding", "dilation", "ceil_mode"}},
      {"max_pool3d", 6, {"kernel_size", "stride", "padding", "dilation", "ceil_mode"}},
      {"mish", 1, {}},
      {"mse_loss", 2, {"target"}},
      {"one_hot", 2, {"num_classes"}},
      {"pad", 4, {"pad", "mode", "value"}},
      {"pairwise_distance", 5, {"x1", "x2", "p", "eps", "keepdim"}},
      {"pixel_shuffle", 2, {"upscale_factor"}},
      {"pixel_unshuffle", 2, {"downscale_factor"}},
      {"prelu", 2, {"weight"}},
      {"relu", 1, {}},
      {"relu6", 1, {}},
      {"rms_norm", 4, {"normalized_shape", "weight", "eps"}},
      {"scaled_dot_product_attention", 6, {"key", "value", "attn_mask", "dropout_p", "is_causal", "scale"}},
      {"selu", 1, {}},
      {"sigmoid", 1, {}},
      {"silu", 1, {}},
      {"smooth_l1_loss", 2, {"target", "beta"}},
      {"soft_margin_loss", 2, {"target"}},
      {"softmax", 2, {"dim", "dtype"}},
      {"softplus", 3, {"beta", "threshold"}},
      {"softshrink", 2, {"lambd"}},
      {"tanh", 1, {}},
      {"threshold", 3, {"threshold", "value"}},
  };
  return kNames;
}

const FunctionalName* find_functional(std::string_view name) {
  const auto& all = functional_names();
  const auto found = std::find_if(all.begin(), all.end(), [&](const FunctionalName& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string operator_of_math(std::string_view name) {
  static constexpr std::array<std::string_view, 40> kSame = {
      "acos",  "acosh",   "asin", "asinh", "atan",     "atan2", "atanh", "ceil",      "copysign", "cos",
      "cosh",  "degrees", "erf",  "erfc",  "exp",      "expm1", "fabs",  "factorial", "floor",    "fmod",
      "frexp", "gamma",   "gcd",  "hypot", "isfinite", "isinf", "isnan", "ldexp",     "lgamma",   "log",
      "log10", "log1p",   "modf", "pow",   "radians",  "sin",   "sinh",  "sqrt",      "tan",      "tanh"};
  if (name == "remainder") return "mathremainder";  // aten::remainder is Python's %
  return std::find(kSame.begin(), kSame.end(), name) != kSame.end() ? std::string(name) : std::string();
}

}  // namespace msprobe::goldens
