#include "check/replay.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "check/autocast.h"
#include "check/outputs.h"
#include "goldens/candidates.h"
#include "inputs/precision.h"
#include "ops/skip.h"

namespace msprobe::check {

using inputs::Value;

void add_note(std::string& message, const std::string& note) {
  if (note.empty() || message.find(note) != std::string::npos) return;
  message += (message.empty() ? "" : "; ") + note;
}

void Replay::note(const std::string& text) {
  add_note(outcome.message, text);
}

Replay::Replay(const Session& s, dump::Record r) : session(s), record(std::move(r)), name(record.name) {
  outcome.api = name.full;
  auto built = inputs::build_inputs(record, context());
  inputs = std::move(built.arguments);
  for (const auto& n : built.notes) note(n);
  if (auto reason = ops::skip_by_arguments(name, inputs, session.standards)) throw Skip(*reason);
  in_place = ops::is_inplace(name, inputs);
  for_each_tensor(
      inputs, [&](at::Tensor& t) { float8_inputs |= at::isFloatingType(t.scalar_type()) && t.element_size() == 1; });
  if (record.forward.output) recorded = flatten(*record.forward.output);
  autocast = inputs::autocast_dtype(inputs, record.forward.output ? &*record.forward.output : nullptr);
  std::string lacking;
  written = session.goldens.written_rows(name, inputs, &lacking);
  note(lacking);
  plan_backward();
  grad_mode = want_backward || in_training();
}

void Replay::plan_backward() {
  if (!record.backward) return;
  const auto* out = inputs.kwarg("out");
  if (!record.backward->fault.empty()) {
    backward_reason = "backward not run: " + record.backward->fault;
  } else if (out != nullptr && !out->is_none()) {
    backward_reason = "backward not run: the call has out=, which takes no gradient";
  } else if (session.standards.no_backward_apis.count(name.name) != 0) {
    backward_reason = "backward not run: " + name.name + " is on the list of APIs without a comparable gradient";
  } else {
    want_backward = true;
    std::vector<std::string> notes;
    output_gradients = inputs::build_output_gradients(record, context(), notes);
    for (const auto& n : notes) note(n);
  }
}

inputs::BuildContext Replay::context() const {
  return {session.settings, session.standards, session.index.tensor_dir(), session.index.has_real_data(),
          session.device.type() == "npu"};
}

// Python's programs run with gradients on; under no_grad, what would carry a gradient shows none in the record. Some
// kernels (oneDNN's LSTM) ask for the mode itself, so it is on as well where nothing could carry one.
bool Replay::in_training() {
  bool could = false;
  for_each_tensor(inputs, [&](at::Tensor& t) { could |= t.requires_grad(); });
  return !could || std::any_of(recorded.begin(), recorded.end(), [](const dump::Argument* a) {
    const auto* t = a->get_if<dump::TensorMeta>();
    return t != nullptr && t->requires_grad;
  });
}

Side Replay::prepare(bool golden, bool with_dtype) const {
  Side side;
  side.arguments = golden ? inputs::golden_arguments(inputs, name, session.settings.profile, not_raised())
                          : inputs::device_arguments(inputs, name, session.device.at_device());
  if (with_dtype) {
    at::ScalarType dtype = *lost_dtype();
    if (golden) dtype = raised(dtype);
    for (auto& a : side.arguments.args)
      if (is_lost_dtype(a)) a = Value(dtype);
    for (auto& [keyword, a] : side.arguments.kwargs)
      if (keyword == "dtype" && a.is_none() && is_lost_dtype(a)) a = Value(dtype);
  }
  for (auto& a : side.arguments.args) for_each_tensor(a, [&](at::Tensor& t) { side.leaves.push_back(t); });
  if (side.leaves.empty())
    for (auto& [n, a] : side.arguments.kwargs) for_each_tensor(a, [&](at::Tensor& t) { side.leaves.push_back(t); });
  // Python's program had a non-leaf where it changed a tensor that requires grad in place; a leaf would refuse.
  if (in_place && grad_mode) {
    for_each_tensor(side.arguments, [](at::Tensor& t) {
      if (t.requires_grad() && t.is_leaf()) {
        at::AutoGradMode on(true);
        t = t.clone();
      }
    });
  }
  return side;
}

// view and type only where a dtype, not a shape, was given.
bool Replay::not_raised() const {
  if (golden_refused) return true;
  if (session.standards.not_raised.count(name.last()) == 0) return false;
  if (name.name != "view" && name.name != "type") return true;
  auto is_dtype = [](const Value& v) { return v.is<at::ScalarType>() || v.is<inputs::Opaque>(); };
  return name.name == "type" || std::any_of(inputs.args.begin(), inputs.args.end(), is_dtype) ||
         inputs.kwarg("dtype") != nullptr;
}

at::ScalarType Replay::raised(at::ScalarType dtype) const {
  if (not_raised()) return dtype;
  if (session.settings.profile == config::Profile::kDocumented) {
    if (at::isComplexType(dtype)) return at::kComplexDouble;
    return at::isFloatingType(dtype) ? at::kDouble : dtype;
  }
  if (dtype == at::kHalf || dtype == at::kBFloat16) return at::kFloat;
  return dtype == at::kFloat ? at::kDouble : dtype;
}

// Tensor.type(torch.HalfTensor): the class is recorded as null, and no null is of any use there.
bool Replay::is_lost_dtype(const Value& value) const {
  return value.is<inputs::Opaque>() || (value.is_none() && name.type == "Tensor" && name.name == "type");
}

std::optional<at::ScalarType> Replay::lost_dtype() const {
  bool lost = false;
  for (const Value& a : inputs.args) lost |= is_lost_dtype(a);
  if (const Value* dtype = inputs.kwarg("dtype")) lost |= dtype->is_none() && is_lost_dtype(*dtype);
  if (!lost || recorded.empty()) return std::nullopt;
  const auto* meta = recorded[0]->get_if<dump::TensorMeta>();
  return meta != nullptr ? inputs::parse_scalar_type(meta->dtype) : std::nullopt;
}

void Replay::invoke(const ops::Candidate& candidate, Side& side, bool on_golden) {
  // Without an NPU its operators' goldens run on both sides.
  const bool runs_golden = on_golden || (name.type == "NPU" && session.device.type() != "npu");
  session.enter(runs_golden ? outcome::Stage::kGolden : outcome::Stage::kDevice);
  session.device.seed(session.settings.seed);
  at::AutoGradMode grad(grad_mode);
  Value result;
  {
    AutocastScope scope(session.device.autocast_type(), on_golden ? std::nullopt : autocast);
    result = candidate.call(side.arguments);
  }
  side.outputs = flatten(result);
  // __setitem__ and its like return nothing: what they did stands in their first argument.
  bool nothing = std::all_of(side.outputs.begin(), side.outputs.end(), [](const Value& v) { return v.is_none(); });
  if (nothing && in_place) {
    for (auto& a : side.arguments.args) {
      std::vector<Value> changed;  // one tensor, or the list of a _foreach_ call
      for_each_tensor(a, [&](at::Tensor& t) { changed.emplace_back(t); });
      if (changed.empty()) continue;
      side.outputs = std::move(changed);
      compared_argument = true;
      break;
    }
  }
}

std::vector<ops::Candidate> Replay::candidates(bool golden) const {
  if (name.type == "NPU" || (golden && session.goldens.users_golden(name) != nullptr))
    return goldens::candidates(session.goldens, name, golden, session.device);
  return ops::candidates(name, inputs);
}

at::Tensor Replay::recorded_tensor(size_t i) const {
  const auto* meta = recorded[i]->get_if<dump::TensorMeta>();
  if (meta == nullptr || meta->data_name.empty() || !session.index.has_real_data()) return {};
  std::vector<std::string> ignored;
  Value v = inputs::build_value(*recorded[i], name.full, "output." + std::to_string(i), context(), ignored);
  return v.is_tensor() ? v.get<at::Tensor>().detach() : at::Tensor();
}

}  // namespace msprobe::check
