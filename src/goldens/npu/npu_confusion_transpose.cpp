// A permute and a reshape in one; transpose_first tells which comes first.
#include <ATen/ATen.h>

#include "goldens/npu/shared/helpers.h"

namespace msprobe::goldens {
namespace {

std::vector<int64_t> inverse(const std::vector<int64_t>& perm) {
  std::vector<int64_t> out(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    int64_t p = perm[i] < 0 ? perm[i] + static_cast<int64_t>(perm.size()) : perm[i];
    out.at(static_cast<size_t>(p)) = static_cast<int64_t>(i);
  }
  return out;
}

}  // namespace

MSPROBE_FUSED("npu_confusion_transpose(Tensor input, int[] perm, int[] shape, bool transpose_first) -> Tensor") {
  at::Tensor x = call.tensor("input");
  auto perm = call.integers("perm"), shape = call.integers("shape");
  return call.boolean("transpose_first") ? x.permute(perm).reshape(shape) : x.reshape(shape).permute(perm);
}

/// shape is the forward input's, transpose_first the opposite of the forward's.
MSPROBE_FUSED(
    "npu_confusion_transpose_backward(Tensor grad, int[] perm, int[] shape, bool transpose_first) -> Tensor") {
  at::Tensor grad = call.tensor("grad");
  auto perm = call.integers("perm"), shape = call.integers("shape");
  if (call.boolean("transpose_first")) return grad.permute(inverse(perm)).reshape(shape);
  std::vector<int64_t> permuted;
  for (int64_t p : perm)
    permuted.push_back(shape.at(static_cast<size_t>(p < 0 ? p + static_cast<int64_t>(perm.size()) : p)));
  return grad.reshape(permuted).permute(inverse(perm));
}

}  // namespace msprobe::goldens
