#include "goldens/own_gradient.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace msprobe::goldens {
namespace {

using inputs::Value;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool carries_gradient(const at::Tensor& t) {
  return t.defined() && (at::isFloatingType(t.scalar_type()) || at::isComplexType(t.scalar_type()));
}

std::vector<at::Tensor> tensors_of(inputs::Arguments& arguments) {
  std::vector<at::Tensor> all;
  inputs::for_each_tensor(arguments, [&](at::Tensor& t) { all.push_back(t); });
  return all;
}

// Travels through autograd's node.
struct State : torch::CustomClassHolder {
  inputs::Arguments arguments;  // detached
  const Forward* forward = nullptr;
  Value result;
  Backward backward;
  size_t tensors = 0;
};

struct OwnGradient : torch::autograd::Function<OwnGradient> {
  static variable_list forward(AutogradContext* context, at::TensorList, const c10::IValue& capsule) {
    auto state = c10::static_intrusive_pointer_cast<State>(capsule.toCapsule());
    state->result = (*state->forward)(state->arguments, state->backward);
    variable_list outputs;
    inputs::for_each_tensor(state->result, [&](at::Tensor& t) {
      if (carries_gradient(t)) outputs.push_back(t);
    });
    context->saved_data["state"] = capsule;
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    auto state = c10::static_intrusive_pointer_cast<State>(context->saved_data["state"].toCapsule());
    variable_list found = state->backward(gradients);
    found.resize(state->tensors);
    found.emplace_back();  // of the capsule
    return found;
  }
};

}  // namespace

Value with_own_gradient(const inputs::Arguments& arguments, const Forward& forward) {
  auto state = c10::make_intrusive<State>();
  state->arguments = arguments;
  std::vector<at::Tensor> tensors = tensors_of(state->arguments);
  bool wanted = false;
  for (auto& t : tensors) wanted |= t.defined() && t.requires_grad();
  // Each stays a leaf of its own that tells whether its gradient is wanted.
  inputs::for_each_tensor(state->arguments, [](at::Tensor& t) {
    if (!t.defined()) return;
    const bool grad = t.requires_grad();
    t = t.detach();
    t.requires_grad_(grad && carries_gradient(t));
  });
  if (!wanted || !at::GradMode::is_enabled()) {
    at::AutoGradMode off(false);
    return forward(state->arguments, state->backward);
  }
  state->forward = &forward;
  state->tensors = tensors.size();
  variable_list outputs = OwnGradient::apply(at::TensorList(tensors), c10::IValue::make_capsule(state));
  // The node holds the state: what it computed must not hold the node.
  Value result = std::move(state->result);
  state->result = Value();
  state->forward = nullptr;
  size_t next = 0;
  inputs::for_each_tensor(result, [&](at::Tensor& t) {
    if (carries_gradient(t)) t = outputs.at(next++);
  });
  return result;
}

std::vector<at::Tensor> spread_gradients(const std::string& function, const Value& returned,
                                         const inputs::Arguments& arguments) {
  inputs::Arguments copy = arguments;
  const std::vector<at::Tensor> tensors = tensors_of(copy);
  std::vector<Value> given;
  if (const auto* list = returned.get_if<inputs::List>())
    given = list->items;
  else
    given.push_back(returned);
  std::vector<size_t> floating;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (carries_gradient(tensors[i])) floating.push_back(i);
  TORCH_CHECK(
      given.size() == tensors.size() || given.size() == floating.size(), function, " gives ", given.size(),
      " gradients, expected one for each of the ", floating.size(), " floating tensors of the call",
      tensors.size() == floating.size() ? "" : ", or for each of its " + std::to_string(tensors.size()) + " tensors");
  std::vector<at::Tensor> out(tensors.size());
  for (size_t k = 0; k < given.size(); ++k) {
    const size_t place = given.size() == tensors.size() ? k : floating[k];
    if (given[k].is_none()) continue;
    const auto* g = given[k].get_if<at::Tensor>();
    TORCH_CHECK(g != nullptr, function, ": gradient ", k, " is no tensor");
    if (!g->defined()) continue;
    TORCH_CHECK(g->sizes() == tensors[place].sizes(), function, ": gradient ", k, " has shape ", g->sizes(),
                ", its tensor has ", tensors[place].sizes());
    out[place] = g->to(tensors[place].device(), tensors[place].scalar_type());
  }
  return out;
}

}  // namespace msprobe::goldens
