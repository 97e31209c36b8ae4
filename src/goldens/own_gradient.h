// A golden that autograd cannot see through: computed outside of it, with a function behind it that gives the
// gradients.
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::goldens {

/// Gradients of the call's tensors (arguments, then keywords, nested ones included), undefined where none arrives, from
/// those of its floating outputs in order (zeros where none arrived).
using Backward = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;
/// The result, and how to go back. The arguments come detached.
using Forward = std::function<inputs::Value(const inputs::Arguments&, Backward&)>;

/// Runs `forward`; when grad mode is on and a tensor requires grad, its floating outputs carry a gradient that is
/// `Backward`'s answer. `forward` may leave Backward empty where nothing needs it.
inputs::Value with_own_gradient(const inputs::Arguments& arguments, const Forward& forward);

/// What a backward function returned as one gradient a tensor of the call: it may give one for each of them, or one for
/// each floating tensor, None where there is none. `function`: for the message when the number is another.
std::vector<at::Tensor> spread_gradients(const std::string& function, const inputs::Value& returned,
                                         const inputs::Arguments& arguments);

}  // namespace msprobe::goldens
