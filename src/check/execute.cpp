#include "check/execute.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>

#include "check/backward.h"
#include "check/choose.h"
#include "check/decompositions.h"
#include "check/error_data.h"
#include "check/error_text.h"
#include "check/judge.h"
#include "check/outputs.h"
#include "check/replay.h"
#include "ops/skip.h"
#include "outcome/skipped.h"

namespace msprobe::check {
namespace {

using outcome::ApiOutcome;
using outcome::Stage;
using outcome::Status;

// Outputs of one shape, fewer gradients: the recorded gradients of the inputs tell which outputs they came from.
bool plan_by_record(Replay& r, GradientPlan& plan) {
  constexpr size_t kMostPlans = 64;
  if (!r.session.index.has_real_data()) return false;
  std::vector<at::Tensor> recorded;
  for (const dump::Argument* a : flatten(r.record.backward->output)) {
    const auto* meta = a->get_if<dump::TensorMeta>();
    if (meta == nullptr || meta->data_name.empty()) continue;
    std::vector<std::string> ignored;
    recorded.push_back(inputs::build_value(*a, r.name.full, "backward.output", r.context(), ignored).get<at::Tensor>());
  }
  if (recorded.empty()) return false;
  r.session.enter(Stage::kDeviceBackward);
  for (const auto& candidate : possible_plans(r.device.outputs, r.output_gradients, kMostPlans)) {
    auto found = run_backward(r.device.outputs, r.output_gradients, candidate, r.device.leaves, /*keep_graph=*/true);
    std::erase_if(found, [](const at::Tensor& t) { return !t.defined(); });
    if (found.size() != recorded.size()) continue;
    bool same = true;
    for (size_t i = 0; i < found.size() && same; ++i) {
      at::Tensor a = comparable(found[i]), b = recorded[i];
      same = a.sizes() == b.sizes() && at::allclose(at::abs(a.to(at::kComplexDouble) - b.to(at::kComplexDouble)),
                                                    at::zeros({}, at::kDouble), 1e-2, 1e-3, /*equal_nan=*/true);
    }
    if (!same) continue;
    plan = candidate;
    r.note("gradients given to the outputs that the recorded gradients of the inputs show");
    return true;
  }
  return false;
}

// A user's golden may leave autograd's graph: its zeros would then be held against the device's gradients.
bool without_graph(const std::vector<inputs::Value>& outputs, const GradientPlan& plan) {
  return std::none_of(plan.outputs.begin(), plan.outputs.end(), [&](size_t place) {
    const auto* t = place < outputs.size() ? outputs[place].get_if<at::Tensor>() : nullptr;
    return t != nullptr && t->defined() && t->requires_grad();
  });
}

void backward_both(Replay& r) {
  if (!r.want_backward) return;
  try {
    auto plan = plan_gradients(r.device.outputs, r.output_gradients);
    if (!plan.refusal.empty() && !plan_by_record(r, plan)) {
      r.backward_reason = "backward not run: " + plan.refusal;
      return;
    }
    const auto through_vectors = [&](size_t output) { return r.alignment.vectors.count(output) != 0; };
    if (!r.alignment.no_gradient.empty() && std::any_of(plan.outputs.begin(), plan.outputs.end(), through_vectors)) {
      r.backward_reason = "backward not run: " + r.alignment.no_gradient;
      return;
    }
    r.session.enter(Stage::kDeviceBackward);
    r.device.gradients = run_backward(r.device.outputs, r.output_gradients, plan, r.device.leaves);
    r.session.device.synchronize();
    if (const auto* users = r.session.goldens.users_golden(r.name);
        users != nullptr && without_graph(r.golden.outputs, plan)) {
      r.device.gradients.clear();
      r.backward_reason = "backward not run: the golden (" + users->source +
                          ") has no gradient: its outputs do not depend on the inputs for autograd; name a function "
                          "for it with backward";
      return;
    }
    r.session.enter(Stage::kGoldenBackward);
    r.golden.gradients = run_backward(r.golden.outputs, r.output_gradients, plan, r.golden.leaves);
    r.ran_backward = true;
  } catch (...) {
    auto error = describe_error(std::current_exception());
    if (error.out_of_memory()) r.session.device.empty_cache();
    r.backward_reason = "backward raised: " + error.text;
  }
}

void save(Replay& r) {
  auto mode = r.session.settings.save_data;
  auto good = [](Status s) { return s == Status::kPass || s == Status::kBlank || s == Status::kSkip; };
  if (mode == config::SaveData::kNone) return;
  if (mode == config::SaveData::kError && good(r.outcome.forward) && good(r.outcome.backward)) return;
  r.note(save_evidence(
      r.session.error_data_dir, r.name.full,
      {r.inputs, r.output_gradients, r.golden.outputs, r.device.outputs, r.golden.gradients, r.device.gradients}));
}

// After an API that ended early: what it left running on the device must not fail under the next one's name, and memory
// that was short is given back. A device that still fails is lost to this process, which is then replaced.
ErrorText told_after(device::Device& device, const ErrorText& error) {
  try {
    device.synchronize();
  } catch (...) {
    const std::string last = describe_error(std::current_exception()).text;
    const std::string detail = error.text + (last == error.text ? "" : "; then " + last);
    return {message_of(outcome::Reason::kDeviceLost, detail), outcome::Reason::kDeviceLost};
  }
  if (!error.out_of_memory()) return error;
  try {
    device.empty_cache();
  } catch (...) {
    return {error.text + "; emptying the cache: " + describe_error(std::current_exception()).text, error.reason};
  }
  return error;
}

}  // namespace

Check::Check(const Session& session, size_t i) : session_(session), api_(session.index.entries()[i].api) {
  guarded([&] {
    if (auto reason = ops::skip_by_name(dump::parse_api_name(api_), session.settings, session.standards)) {
      outcome_ = outcome::skipped_outcome(api_, *reason);
      return;
    }
    session.enter(Stage::kRebuild);
    replay_ = std::make_unique<Replay>(session, session.index.read(i));
    find_ways(*replay_);
  });
}

Check::~Check() = default;

ApiOutcome Check::run() {
  guarded([&] {
    if (!replay_) return;
    Replay& replay = *replay_;
    call_both(replay);
    session_.enter(Stage::kComparison);
    align_decomposition(replay);
    // What an asynchronous device says of the forward call must not look like the backward's.
    session_.device.synchronize();
    backward_both(replay);
    session_.enter(Stage::kComparison);
    compare_forward(replay);
    compare_backward(replay);
    compare_with_record(replay);
    save(replay);
    outcome_ = std::move(replay.outcome);
    replay_.reset();  // its tensors go within the time of the API
  });
  outcome_.seconds = seconds_;
  return std::move(outcome_);
}

template <class Step>
void Check::guarded(const Step& step) {
  const auto start = std::chrono::steady_clock::now();
  try {
    step();
  } catch (...) {
    const ErrorText error = describe_error(std::current_exception());
    replay_.reset();  // its tensors go before the device is asked to give memory back
    const ErrorText told = told_after(session_.device, error);
    outcome_ = outcome::skipped_outcome(api_, told.text, told.reason);
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ApiOutcome check_api(const Session& session, size_t i) {
  return Check(session, i).run();
}

}  // namespace msprobe::check
