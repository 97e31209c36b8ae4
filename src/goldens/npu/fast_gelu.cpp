// The older name of npu_fast_gelu.
#include "goldens/npu/shared/fast_gelu.h"

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("fast_gelu(Tensor input) -> Tensor") {
  return fast_gelu(call.tensor("input"));
}

}  // namespace msprobe::goldens
