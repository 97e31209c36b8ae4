// silu(a) * b for the halves a, b of the input along dim (Shazeer, "GLU Variants Improve Transformer", 2020).
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {
namespace {

at::Tensor swiglu(const at::Tensor& x, int64_t dim) {
  TORCH_CHECK(x.size(dim) != 1, "npu_swiglu: dimension ", dim, " of ", x.sizes(), " has no two halves");
  auto halves = at::chunk(x, 2, dim);
  return at::silu(halves[0]) * halves[1];
}

}  // namespace

MSPROBE_FUSED("npu_swiglu(Tensor input, int dim=-1) -> Tensor") {
  return swiglu(call.tensor("input"), call.integer("dim"));
}

MSPROBE_FUSED("npu_swiglu_backward(Tensor grad_output, Tensor input, int dim=-1) -> Tensor") {
  int64_t dim = call.integer("dim");
  return gradients([&](const auto& in) { return swiglu(in[0], dim); }, {call.tensor("input")},
                   call.tensor("grad_output"))[0];
}

}  // namespace msprobe::goldens
