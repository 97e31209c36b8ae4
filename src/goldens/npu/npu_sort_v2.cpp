// Sorted values without their indices.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {

MSPROBE_FUSED("npu_sort_v2(Tensor input, int dim=-1, bool descending=False, *, Tensor? out=None) -> Tensor") {
  return std::get<0>(at::sort(call.tensor("input"), /*stable=*/true, call.integer("dim"), call.boolean("descending")));
}

}  // namespace msprobe::goldens
