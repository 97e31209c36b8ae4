// Layer normalisation over the last normalized_shape dimensions; weight, bias and eps count.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED(
    "npu_layer_norm_eval(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
    "eps=1e-05) -> "
    "Tensor") {
  return at::layer_norm(call.tensor("input"), call.integers("normalized_shape"), optional_tensor(call, "weight"),
                        optional_tensor(call, "bias"), call.number("eps"), /*cudnn_enable=*/false);
}

}  // namespace msprobe::goldens
