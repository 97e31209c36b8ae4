#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "inputs/adjust.h"
#include "inputs/valid_rules.h"

namespace msprobe::inputs {
namespace {

using Complex = c10::complex<double>;

constexpr int64_t kColumns = 64;  // of U below: enough for a full spread of values, and linear in them

/// Batches of square matrices as complex128: one code for real and complex, and the imaginary part of real ones stays
/// 0.
bool is_square_batch(const at::Tensor& tensor) {
  return tensor.dim() >= 2 && tensor.size(-1) == tensor.size(-2) && tensor.size(-1) > 0 &&
         (at::isFloatingType(tensor.scalar_type()) || tensor.is_complex());
}

at::Tensor widened(const at::Tensor& tensor) {
  return tensor.detach().to(at::kComplexDouble).contiguous().clone();
}

void write_back(at::Tensor& tensor, const at::Tensor& wide) {
  const at::NoGradGuard no_grad;
  tensor.detach().copy_(tensor.is_complex() ? wide : at::real(wide));
}

double largest(const Complex* matrix, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n * n; ++i) most = std::max({most, std::abs(matrix[i].real()), std::abs(matrix[i].imag())});
  return most;
}

/// m / 2 (I + U U^H / k), so no number lies beyond m: U is the matrix's first k columns over m, m its largest
/// magnitude. The numbers of U are rounded to float32, so that their products are exact and the result has the same
/// bits with and without fused operations.
void make_positive_definite(Complex* matrix, int64_t n) {
  const double found = largest(matrix, n), m = found > 0 && std::isfinite(found) ? found : 1;
  const double half = m / 2;
  const int64_t k = std::min(n, kColumns);
  std::vector<double> re(static_cast<size_t>(n * k)), im(re.size());
  for (int64_t row = 0; row < n; ++row)
    for (int64_t col = 0; col < k; ++col) {
      const Complex value = matrix[row * n + col];
      const auto at = static_cast<size_t>(row * k + col);
      re[at] = std::isfinite(value.real()) ? static_cast<float>(value.real() / m) : 0;
      im[at] = std::isfinite(value.imag()) ? static_cast<float>(value.imag() / m) : 0;
    }
  const auto columns = static_cast<double>(k);
  at::parallel_for(0, n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t a = begin; a < end; ++a)
      for (int64_t b = 0; b <= a; ++b) {
        double real = 0, imag = 0;
        for (int64_t j = 0; j < k; ++j) {
          const auto p = static_cast<size_t>(a * k + j), q = static_cast<size_t>(b * k + j);
          real += re[p] * re[q];
          real += im[p] * im[q];
          imag += im[p] * re[q];
          imag -= re[p] * im[q];
        }
        const double scaled = real / columns + (a == b ? 1 : 0);  // at most 2
        matrix[a * n + b] = {scaled * half, a == b ? 0 : imag / columns * half};
        matrix[b * n + a] = {scaled * half, a == b ? 0 : -(imag / columns * half)};
      }
  });
}

}  // namespace

void positive_definite(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_square_batch(*drawn->tensor)) return;
  at::Tensor wide = widened(*drawn->tensor);
  const int64_t n = wide.size(-1);
  auto* const data = static_cast<Complex*>(wide.data_ptr());
  for (int64_t i = 0; i < wide.numel(); i += n * n) make_positive_definite(data + i, n);
  write_back(*drawn->tensor, wide);
  call.note(std::string(name).append(" made positive definite, its values are not the recorded range"));
}

void strong_diagonal(ValidCall& call, Place place, std::string_view name) {
  if (call.name() == "lu_solve") {  // torch.lu_solve(B, LU, pivots), torch.linalg.lu_solve(LU, pivots, B)
    const dump::TensorMeta* second = call.recorded("pivots");
    const auto dtype = second ? dump::parse_dtype(second->dtype) : std::nullopt;
    const bool factors_first = dtype == dump::Dtype::kInt32;
    if (!place.keyword && (place.index == 0) != factors_first) return;
  }
  const auto drawn = call.drawn_at(place);
  if (!drawn || !is_square_batch(*drawn->tensor)) return;
  at::Tensor wide = widened(*drawn->tensor);
  const int64_t n = wide.size(-1);
  auto* const data = static_cast<Complex*>(wide.data_ptr());
  for (int64_t i = 0; i < wide.numel(); i += n * n) {
    const double found = largest(data + i, n), m = found > 0 ? found : 1;
    for (int64_t at = 0; at < n * n; ++at) {
      Complex& value = data[i + at];
      const bool diagonal = at / n == at % n;
      value = diagonal ? Complex(std::signbit(value.real()) ? -m : m, 0)
                       : Complex(value.real() / static_cast<double>(n), value.imag() / static_cast<double>(n));
    }
  }
  write_back(*drawn->tensor, wide);
  call.note(std::string(name).append(" given a strong diagonal, its values are not the recorded range"));
}

void pivots(ValidCall& call, Place place, std::string_view name) {
  const auto drawn = call.drawn_at(place);
  if (!drawn || drawn->tensor->dim() == 0) return;
  std::vector<int64_t> values = integers_of(*drawn->tensor);
  const int64_t n = drawn->tensor->size(-1);
  bool changed = false;
  for (int64_t& value : values) {
    const int64_t within = std::clamp<int64_t>(std::abs(std::max(value, -n)), 1, n);
    changed = changed || within != value;
    value = within;
  }
  if (!changed) return;
  assign(*drawn->tensor, values);
  call.note(std::string(name).append(" kept within 1 and " + std::to_string(n)));
}

}  // namespace msprobe::inputs
