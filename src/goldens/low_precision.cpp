#include "goldens/low_precision.h"

#include <ATen/ATen.h>

#include <array>

#include "util/error.h"

namespace msprobe::goldens {
namespace {

using ops::Arguments;
using ops::PythonCall;
using ops::Value;

// A scale for each element of a matrix: one for all, one a row or column, or one a block of equally many rows or
// columns. [PyTorch's documentation of torch._scaled_mm's recipes; scales of MX formats lie in another order]
at::Tensor scales_of(const at::Tensor& matrix, const at::Tensor& scale) {
  if (scale.numel() == 1) return scale.reshape({});
  if (scale.dim() != matrix.dim())
    throw Error("_scaled_mm", "no golden for scales of " + std::to_string(scale.dim()) + " dimensions");
  at::Tensor all = scale;
  for (int64_t dim = 0; dim < matrix.dim(); ++dim) {
    const int64_t n = all.size(dim), wanted = matrix.size(dim);
    if (n == 1 || n == wanted) continue;
    const int64_t block = (wanted + n - 1) / n;
    if (n > wanted || (n - 1) * block >= wanted) throw Error("_scaled_mm", "no golden for scales of that shape");
    all = all.repeat_interleave(block, dim).narrow(dim, 0, wanted);
  }
  return all;
}

Value scaled_mm(const Arguments& arguments) {
  const PythonCall c("_scaled_mm",
                     "self, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, "
                     "use_fast_accum=False",
                     arguments);
  const at::Tensor a = c.tensor("self"), b = c.tensor("mat2");
  at::Tensor product =
      at::matmul(at::mul(a, scales_of(a, c.tensor("scale_a"))), at::mul(b, scales_of(b, c.tensor("scale_b"))));
  if (c.has("bias")) product = at::add(product, c.tensor("bias"));
  return product;
}

// Rows [ends[g - 1], ends[g]) of a matrix times matrix g; or, of two matrices, the same part of what they are summed
// over; without ends, matrix by matrix.
Value grouped_mm(const Arguments& arguments) {
  const PythonCall c("_grouped_mm", "self, mat2, offs=None, bias=None, out_dtype=None", arguments);
  const at::Tensor a = c.tensor("self"), b = c.tensor("mat2");
  if (!c.has("offs")) {
    const at::Tensor product = at::matmul(a, b);
    return c.has("bias") ? Value(at::add(product, c.tensor("bias").unsqueeze(1))) : Value(product);
  }
  if (c.has("bias")) throw Error("_grouped_mm", "no golden with offs and bias");
  const at::Tensor ends = c.tensor("offs").to(at::kLong);
  const int64_t size = a.dim() == 2 ? a.size(b.dim() == 3 ? 0 : 1) : b.size(1);
  if (ends.numel() == 0 || ends[-1].item<int64_t>() != size)
    throw Error("_grouped_mm", "no golden where the last group does not end with the matrix: the rest is unwritten");
  std::vector<at::Tensor> parts;
  int64_t begin = 0;
  for (int64_t g = 0; g < ends.numel(); ++g) {
    const int64_t end = ends[g].item<int64_t>(), n = end - begin;
    if (a.dim() == 2 && b.dim() == 3)
      parts.push_back(at::matmul(a.narrow(0, begin, n), b[g]));
    else if (a.dim() == 3 && b.dim() == 2)
      parts.push_back(at::matmul(a[g], b.narrow(1, begin, n)));
    else
      parts.push_back(at::matmul(a.narrow(1, begin, n), b.narrow(0, begin, n)));
    begin = end;
  }
  if (a.dim() == 2 && b.dim() == 2) return at::stack(parts);
  return at::cat(parts, a.dim() == 2 ? 0 : 1);
}

constexpr std::array<LowPrecision, 2> kOperators = {{{"_scaled_mm", scaled_mm}, {"_grouped_mm", grouped_mm}}};

}  // namespace

const LowPrecision* find_low_precision(std::string_view name) {
  for (const LowPrecision& known : kOperators)
    if (known.name == name) return &known;
  return nullptr;
}

}  // namespace msprobe::goldens
