// What several goldens of NPU operators need, and their registration.
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

#include "goldens/built_in.h"

namespace msprobe::goldens {

/// Several results.
inline ops::Value results(std::vector<ops::Value> items) {
  return ops::Value(inputs::List{std::move(items), false});
}
/// The tensor, or an undefined one where None was given.
at::Tensor optional_tensor(const Call& call, std::string_view parameter);
/// Gradients of `f` at `inputs` for the output gradient `grad`, undefined where none arrives; whatever the grad mode.
std::vector<at::Tensor> gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                                  const std::vector<at::Tensor>& inputs, const at::Tensor& grad);
/// Statistics come in float32 from half precision inputs, as the NPU gives them; float64 stays.
at::ScalarType statistics_dtype(const at::Tensor& input);

}  // namespace msprobe::goldens
