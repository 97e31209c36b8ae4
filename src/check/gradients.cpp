#include "check/gradients.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/error_text.h"
#include "check/outputs.h"

namespace msprobe::check {
namespace {

using outcome::Stage;

// Loosely: only to tell plans apart.
bool alike(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& recorded) {
  if (found.size() != recorded.size()) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    const at::Tensor a = comparable(found[i]), &b = recorded[i];
    if (a.sizes() != b.sizes() || !at::allclose(at::abs(a.to(at::kComplexDouble) - b.to(at::kComplexDouble)),
                                                at::zeros({}, at::kDouble), 1e-2, 1e-3, /*equal_nan=*/true))
      return false;
  }
  return true;
}

// Outputs of one shape, fewer gradients: the recorded gradients of the inputs tell which outputs they came from.
std::optional<GradientPlan> plan_by_record(const Session& session, const Rebuilt& r, const Side& device) {
  constexpr size_t kMostPlans = 64;
  const auto recorded = recorded_gradients(session, r);
  if (recorded.empty()) return std::nullopt;
  session.enter(Stage::kDeviceBackward);
  for (auto& plan : possible_plans(device.outputs, r.output_gradients, kMostPlans)) {
    auto found = run_backward(device.outputs, r.output_gradients, plan, device.leaves, /*keep_graph=*/true);
    auto positional = std::vector(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(device.positional_leaves));
    for (auto* tensors : {&found, &positional}) std::erase_if(*tensors, [](const auto& t) { return !t.defined(); });
    if (alike(found, recorded) || alike(positional, recorded)) return std::move(plan);
  }
  return std::nullopt;
}

// A user's golden may leave autograd's graph: its zeros would then be held against the device's gradients.
bool without_graph(const std::vector<inputs::Value>& outputs, const GradientPlan& plan) {
  return std::none_of(plan.outputs.begin(), plan.outputs.end(), [&](size_t place) {
    const auto* t = place < outputs.size() ? outputs[place].get_if<at::Tensor>() : nullptr;
    return t != nullptr && t->defined() && t->requires_grad();
  });
}

// A plan that holds, or why none does.
GradientPlan choose_plan(const Session& session, const Rebuilt& r, const Side& device, const Alignment& alignment,
                         Notes& notes) {
  GradientPlan plan = plan_gradients(device.outputs, r.output_gradients);
  if (!plan.refusal.empty()) {
    auto by_record = plan_by_record(session, r, device);
    if (!by_record) return plan;
    plan = std::move(*by_record);
    notes.emplace_back("gradients given to the outputs that the recorded gradients of the inputs show");
  }
  const auto through_vectors = [&](size_t output) { return alignment.vectors.count(output) != 0; };
  if (std::any_of(plan.outputs.begin(), plan.outputs.end(), through_vectors)) plan.refusal = alignment.no_gradient;
  return plan;
}

void run_both(const Session& session, const Rebuilt& r, const Side& device, const Side& golden,
              const GradientPlan& plan, Gradients& gradients) {
  session.enter(Stage::kDeviceBackward);
  gradients.device = run_backward(device.outputs, r.output_gradients, plan, device.leaves);
  session.device.synchronize();
  if (const auto* users = session.goldens.users_golden(r.name());
      users != nullptr && without_graph(golden.outputs, plan)) {
    gradients.device.clear();
    gradients.not_run = "backward not run: the golden (" + users->source +
                        ") has no gradient: its outputs do not depend on the inputs for autograd; name a function "
                        "for it with backward";
    return;
  }
  session.enter(Stage::kGoldenBackward);
  gradients.golden = run_backward(golden.outputs, r.output_gradients, plan, golden.leaves);
}

}  // namespace

Gradients run_both_backward(const Session& session, const Rebuilt& r, const Side& device, const Side& golden,
                            const Alignment& alignment) {
  Gradients gradients;
  gradients.not_run = r.no_backward;
  if (!r.wants_backward()) return gradients;
  try {
    gradients.plan = choose_plan(session, r, device, alignment, gradients.notes);
    if (gradients.plan.refusal.empty())
      run_both(session, r, device, golden, gradients.plan, gradients);
    else
      gradients.not_run = "backward not run: " + gradients.plan.refusal;
  } catch (...) {
    const ErrorText error = describe_error(std::current_exception());
    if (error.out_of_memory()) session.device.empty_cache();
    gradients.not_run = "backward raised: " + error.text;
  }
  return gradients;
}

}  // namespace msprobe::check
