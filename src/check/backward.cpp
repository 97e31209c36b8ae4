#include "check/backward.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "check/shape_text.h"

namespace msprobe::check {
namespace {

using inputs::Value;

const at::Tensor* tensor_of(const Value& v) {
  const auto* t = v.get_if<at::Tensor>();
  return t != nullptr && t->defined() ? t : nullptr;
}

bool carries(const Value& v) {
  const auto* t = tensor_of(v);
  return t != nullptr && t->requires_grad() &&
         (at::isFloatingType(t->scalar_type()) || at::isComplexType(t->scalar_type()));
}

at::IntArrayRef without_leading_ones(at::IntArrayRef sizes) {
  while (!sizes.empty() && sizes.front() == 1) sizes = sizes.slice(1);
  return sizes;
}

bool fits(const Value& output, const Value& gradient, bool loosely = false) {
  const auto *o = tensor_of(output), *g = tensor_of(gradient);
  if (o == nullptr || g == nullptr) return false;
  return loosely ? without_leading_ones(o->sizes()) == without_leading_ones(g->sizes()) : o->sizes() == g->sizes();
}

std::string shapes(const std::vector<Value>& values, const std::vector<size_t>& which) {
  std::string text;
  for (size_t i : which) {
    const auto* t = tensor_of(values[i]);
    text += (text.empty() ? "" : ", ") + (t != nullptr ? shape_text(t->sizes()) : std::string("None"));
  }
  return text.empty() ? "none" : text;
}

// Pairs place by place; empty when a present gradient meets an output that cannot take it.
bool by_place(const std::vector<Value>& outputs, const std::vector<size_t>& places, const std::vector<Value>& gradients,
              const std::vector<size_t>& which, GradientPlan& plan, bool loosely = false) {
  if (places.size() != which.size()) return false;
  GradientPlan p;
  for (size_t k = 0; k < places.size(); ++k) {
    if (tensor_of(gradients[which[k]]) == nullptr) continue;
    if (!carries(outputs[places[k]]) || !fits(outputs[places[k]], gradients[which[k]], loosely)) return false;
    p.outputs.push_back(places[k]);
    p.gradients.push_back(which[k]);
  }
  if (p.outputs.empty()) return false;
  plan = std::move(p);
  return true;
}

bool by_shape(const std::vector<Value>& outputs, const std::vector<size_t>& carriers,
              const std::vector<Value>& gradients, const std::vector<size_t>& present, GradientPlan& plan) {
  GradientPlan p;
  for (size_t g : present) {
    size_t found = outputs.size();
    for (size_t o : carriers) {
      if (!fits(outputs[o], gradients[g])) continue;
      if (found != outputs.size()) return false;  // two outputs of that shape
      found = o;
    }
    if (found == outputs.size() || std::find(p.outputs.begin(), p.outputs.end(), found) != p.outputs.end())
      return false;
    p.outputs.push_back(found);
    p.gradients.push_back(g);
  }
  if (p.outputs.empty()) return false;
  plan = std::move(p);
  return true;
}

}  // namespace

GradientPlan plan_gradients(const std::vector<Value>& outputs, const std::vector<Value>& gradients) {
  std::vector<size_t> all_outputs, carriers, all_gradients, present;
  for (size_t i = 0; i < outputs.size(); ++i) {
    all_outputs.push_back(i);
    if (carries(outputs[i])) carriers.push_back(i);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    all_gradients.push_back(i);
    if (tensor_of(gradients[i]) != nullptr) present.push_back(i);
  }
  GradientPlan plan;
  if (present.empty()) {
    plan.refusal = "no gradient was recorded for any output";
  } else if (carriers.empty()) {
    plan.refusal = "no output of the replay can carry a gradient";
  } else if (!by_place(outputs, all_outputs, gradients, all_gradients, plan) &&
             !by_place(outputs, carriers, gradients, all_gradients, plan) &&
             !by_place(outputs, carriers, gradients, present, plan) &&
             !by_place(outputs, carriers, gradients, present, plan, /*loosely=*/true) &&
             !by_shape(outputs, carriers, gradients, present, plan)) {
    plan.refusal = "recorded gradients of shapes " + shapes(gradients, present) +
                   " do not meet the outputs that can carry one: " + shapes(outputs, carriers);
  }
  return plan;
}

std::vector<GradientPlan> possible_plans(const std::vector<Value>& outputs, const std::vector<Value>& gradients,
                                         size_t limit) {
  std::vector<size_t> carriers, present;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (carries(outputs[i])) carriers.push_back(i);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (tensor_of(gradients[i]) != nullptr) present.push_back(i);
  std::vector<GradientPlan> plans{GradientPlan{}};
  for (size_t g : present) {
    std::vector<GradientPlan> longer;
    for (const GradientPlan& plan : plans) {
      for (size_t o : carriers) {
        if (!plan.outputs.empty() && o <= plan.outputs.back()) continue;  // gradients keep the outputs' order
        if (!fits(outputs[o], gradients[g])) continue;
        longer.push_back(plan);
        longer.back().outputs.push_back(o);
        longer.back().gradients.push_back(g);
        if (longer.size() > limit) return {};
      }
    }
    plans = std::move(longer);
  }
  return present.empty() ? std::vector<GradientPlan>{} : plans;
}

std::vector<at::Tensor> run_backward(const std::vector<Value>& outputs, const std::vector<Value>& gradients,
                                     const GradientPlan& plan, const std::vector<at::Tensor>& inputs, bool keep_graph) {
  std::vector<at::Tensor> roots, seeds, wanted;
  for (size_t k = 0; k < plan.outputs.size(); ++k) {
    TORCH_CHECK(plan.outputs[k] < outputs.size(), "a gradient is for output ", plan.outputs[k], ", the call gives ",
                outputs.size());
    const auto& root = outputs[plan.outputs[k]].get<at::Tensor>();
    roots.push_back(root);
    seeds.push_back(gradients[plan.gradients[k]]
                        .get<at::Tensor>()
                        .detach()
                        .to(root.device(), root.scalar_type())
                        .reshape(root.sizes()));
  }
  std::vector<size_t> places;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
    wanted.push_back(inputs[i]);
    places.push_back(i);
  }
  std::vector<at::Tensor> result(inputs.size());
  if (wanted.empty()) return result;
  auto found = torch::autograd::grad(roots, wanted, seeds, /*retain_graph=*/keep_graph, /*create_graph=*/false,
                                     /*allow_unused=*/true);
  for (size_t k = 0; k < places.size(); ++k) result[places[k]] = found[k];
  return result;
}

}  // namespace msprobe::check
