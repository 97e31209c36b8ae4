#include "check/second_opinion.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "check/backward.h"
#include "check/dtype_defaults.h"
#include "check/error_text.h"
#include "check/in_float64.h"
#include "check/outputs.h"
#include "check/side.h"
#include "inputs/precision.h"

namespace msprobe::check {
namespace {

// float64 has 29 bits more than float32, and rounding errors shrink with them.
constexpr int kMoreBitsOfDouble = 29;

bool is_double(const at::Tensor& t) {
  return c10::toRealValueType(t.scalar_type()) == at::kDouble;
}

// Numbers of fewer bits than float32 are added and multiplied with more roundings by some kernels.
std::optional<at::ScalarType> reduced_dtype(const Rebuilt& r, const Form& form) {
  if (form.autocast) return r.autocast;
  std::optional<at::ScalarType> reduced;
  const auto look = [&](at::ScalarType dtype) {
    if (at::isFloatingType(dtype) && c10::elementSize(dtype) < sizeof(float) && !reduced) reduced = dtype;
  };
  inputs::Arguments shared = r.inputs;  // tensors are shared, not copied
  for_each_tensor(shared, [&](at::Tensor& t) { look(t.scalar_type()); });
  if (form.with_dtype) look(*r.lost_dtype);
  return reduced;
}

}  // namespace

struct SecondOpinion::Made {
  inputs::Arguments arguments;  // after the call
  std::vector<inputs::Value> outputs;
  std::vector<at::Tensor> gradients;  // one a leaf
  std::string lacking, lacking_gradients;
};

SecondOpinion::SecondOpinion(const Session& session, const Rebuilt& rebuilt, const Called& called)
    : session_(session), rebuilt_(rebuilt), called_(called) {
  if (reduced_dtype(rebuilt_, called_.form)) ++opinions_;
}

SecondOpinion::~SecondOpinion() = default;

const SecondOpinion::Made& SecondOpinion::made(Arithmetic arithmetic) const {
  if (!made_[arithmetic]) made_[arithmetic] = make(arithmetic);
  session_.enter(outcome::Stage::kComparison);
  return *made_[arithmetic];
}

std::unique_ptr<SecondOpinion::Made> SecondOpinion::make(Arithmetic arithmetic) const {
  auto made = std::make_unique<Made>();
  // A refusal here costs a yardstick, no row.
  try {
    Side side;
    if (arithmetic == kSingle) {
      side = prepare_second(session_, rebuilt_, called_.form.with_dtype, called_.device.rounded);
      side.arguments = fill_dtype_defaults(session_, rebuilt_, std::move(side.arguments)).arguments;
      side.arguments = in_float64(session_, rebuilt_, std::move(side.arguments));
      side = call_golden(session_, rebuilt_, golden_in_float64(session_, rebuilt_, called_.cpu_way), std::move(side));
    } else {
      side = call_recorded(session_, rebuilt_, called_.cpu_way, called_.form.with_dtype, called_.form.autocast);
    }
    made->outputs = align_decomposition(session_.options.profile(), called_.how, std::move(side.outputs),
                                        called_.device.outputs, rebuilt_.grad_mode)
                        .golden;
    made->arguments = side.arguments;
    if (called_.gradients.device.empty()) return made;
    try {
      session_.enter(outcome::Stage::kGoldenBackward);
      made->gradients = run_backward(made->outputs, rebuilt_.output_gradients, called_.gradients.plan, side.leaves);
    } catch (...) {
      made->lacking_gradients = describe_error(std::current_exception()).text;
    }
  } catch (...) {
    made->lacking = made->lacking_gradients = describe_error(std::current_exception()).text;
  }
  return made;
}

bool SecondOpinion::is_devices_call(Arithmetic arithmetic) const {
  if (session_.device.type() != "cpu") return false;
  const bool runs_golden = rebuilt_.name().type == "NPU";
  if (!runs_golden && session_.goldens.users_golden(rebuilt_.name()) != nullptr) return false;
  if (arithmetic == kRecorded) return true;
  const Form& form = called_.form;
  if (form.autocast || !inputs::is_second(rebuilt_.inputs)) return false;
  return !form.with_dtype || inputs::second_dtype(*rebuilt_.lost_dtype) == *rebuilt_.lost_dtype;
}

std::string SecondOpinion::name_of(Arithmetic arithmetic) const {
  if (arithmetic == kSingle) return "float32 arithmetic";
  constexpr size_t kTorch = sizeof("torch.") - 1;
  return inputs::dtype_name(*reduced_dtype(rebuilt_, called_.form)).substr(kTorch) + " arithmetic";
}

std::optional<metrics::Second> SecondOpinion::without_call(Arithmetic arithmetic) const {
  metrics::Second s;
  s.arithmetic = name_of(arithmetic);
  s.is_device = is_devices_call(arithmetic);
  s.reduced = arithmetic == kRecorded;
  if (s.is_device) return s;
  if (called_.golden_call.raised) return std::nullopt;
  s.lacking = "the golden is in the recorded precision";
  return s;
}

metrics::Second SecondOpinion::of(Arithmetic arithmetic, const at::Tensor& device, const at::Tensor* second) const {
  metrics::Second s;
  s.reduced = arithmetic == kRecorded;
  s.arithmetic = name_of(arithmetic);
  if (second == nullptr || !second->defined()) return s;
  s.tensor = comparable(*second);
  if (is_double(device) && !is_double(s.tensor)) {
    s.scale = std::ldexp(1.0, -kMoreBitsOfDouble);
    s.arithmetic += ", scaled to float64";
  }
  return s;
}

std::optional<metrics::Second> SecondOpinion::output(size_t i, size_t k) const {
  if (k >= opinions_) return std::nullopt;
  const auto arithmetic = static_cast<Arithmetic>(k);
  if (auto s = without_call(arithmetic)) return s;
  const Made& its = made(arithmetic);
  const auto* device = called_.device.outputs[i].get_if<at::Tensor>();
  const auto* second = i < its.outputs.size() ? its.outputs[i].get_if<at::Tensor>() : nullptr;
  metrics::Second s = of(arithmetic, *device, second);
  s.lacking = its.lacking;
  return s;
}

std::optional<metrics::Second> SecondOpinion::argument(const ChangedArgument& changed, size_t k) const {
  if (k >= opinions_) return std::nullopt;
  const auto arithmetic = static_cast<Arithmetic>(k);
  if (auto s = without_call(arithmetic)) return s;
  const Made& its = made(arithmetic);
  const at::Tensor second = argument_of(its.arguments, changed, rebuilt_);
  metrics::Second s = of(arithmetic, changed.device, &second);
  s.lacking = its.lacking;
  return s;
}

std::optional<metrics::Second> SecondOpinion::gradient(size_t leaf, size_t k) const {
  if (k >= opinions_) return std::nullopt;
  const auto arithmetic = static_cast<Arithmetic>(k);
  if (auto s = without_call(arithmetic)) return s;
  const Made& its = made(arithmetic);
  metrics::Second s =
      of(arithmetic, called_.gradients.device[leaf], leaf < its.gradients.size() ? &its.gradients[leaf] : nullptr);
  s.lacking = its.lacking_gradients;
  return s;
}

}  // namespace msprobe::check
