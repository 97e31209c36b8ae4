#include "goldens/npu/shared/helpers.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace msprobe::goldens {

at::Tensor optional_tensor(const Call& call, std::string_view parameter) {
  return call.has(parameter) ? call.tensor(parameter) : at::Tensor();
}

std::vector<at::Tensor> gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                                  const std::vector<at::Tensor>& inputs, const at::Tensor& grad) {
  at::AutoGradMode on(true);
  std::vector<at::Tensor> leaves;
  for (const auto& t : inputs) leaves.push_back(t.detach().requires_grad_(true));
  at::Tensor out = f(leaves);
  return torch::autograd::grad({out}, leaves, {grad.to(out.scalar_type())}, /*retain_graph=*/false,
                               /*create_graph=*/false,
                               /*allow_unused=*/true);
}

at::ScalarType statistics_dtype(const at::Tensor& input) {
  return input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

}  // namespace msprobe::goldens
