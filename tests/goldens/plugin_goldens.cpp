// A user's library as the documentation shows it: tests load it.
#include <ATen/ATen.h>
#include <msprobe/plugin.h>

namespace {

at::Tensor swiglu(const at::Tensor& x, int64_t dim) {
  auto halves = at::chunk(x, 2, dim);
  return at::silu(halves[0]) * halves[1];
}

std::tuple<at::Tensor, at::Tensor> scaled(const at::Tensor& x, const std::optional<at::Tensor>& bias, double scale,
                                          const std::vector<int64_t>& dims, const std::string& mode) {
  TORCH_CHECK(mode == "sum" || mode == "mean", "mode ", mode, " is neither sum nor mean");
  at::Tensor y = x * scale;
  if (bias) y = y + *bias;
  return {y, mode == "sum" ? at::sum(y, dims) : at::mean(y, dims)};
}

std::tuple<at::Tensor, at::Tensor> product(const at::Tensor& x, const at::Tensor& y) {
  return {x * y, x + y};
}

// Ten times what autograd would give, so that a test can tell them apart.
std::vector<at::Tensor> product_backward(const at::Tensor& gp, const at::Tensor& gs, const at::Tensor& x,
                                         const at::Tensor& y) {
  return {10 * (gp * y + gs), at::Tensor()};
}

std::vector<at::Tensor> pieces(const std::vector<at::Tensor>& list, bool reversed) {
  std::vector<at::Tensor> out(list);
  if (reversed) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

MSPROBE_GOLDEN("lib_swiglu(Tensor input, int dim=-1) -> Tensor", swiglu)
MSPROBE_GOLDEN(
    "lib_scaled(Tensor x, Tensor? bias=None, *, float scale=1., int[] dims=[0], str mode=\"sum\") -> (Tensor, Tensor)",
    scaled)
MSPROBE_GOLDEN("lib_product(Tensor x, Tensor y) -> (Tensor, Tensor)", product, product_backward)
MSPROBE_GOLDEN("lib_pieces(Tensor[] list, bool reversed=False) -> Tensor[]", pieces)
