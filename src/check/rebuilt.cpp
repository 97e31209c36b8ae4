#include "check/rebuilt.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/lost_dtype.h"
#include "check/outputs.h"
#include "check/skip.h"
#include "inputs/precision.h"
#include "ops/refusals/refusal.h"
#include "ops/skip.h"
#include "signatures/python_names.h"

namespace msprobe::check {
namespace {

using inputs::Value;

inputs::BuildContext build_context(const Session& session) {
  return {session.options.inputs, session.index.tensor_dir(), session.index.has_real_data(),
          session.device.type() == "npu"};
}

// view and type only where a dtype, not a shape, was given.
bool keeps_precision(const Session& session, const Rebuilt& r) {
  const dump::ApiName& name = r.name();
  if (!session.standards.not_raised.has(config::ApiNames(name))) return false;
  const config::PythonName python = signatures::python_name(name);
  const std::string_view plain = config::without_overload(python);
  if (plain != "view" && plain != "type") return true;
  auto is_dtype = [](const Value& v) { return v.is<at::ScalarType>() || v.is<inputs::Opaque>(); };
  return plain == "type" || std::any_of(r.inputs.args.begin(), r.inputs.args.end(), is_dtype) ||
         r.inputs.kwarg("dtype") != nullptr;
}

std::string why_no_backward(const Session& session, const Rebuilt& r) {
  if (!r.record.backward) return "";
  if (!r.record.backward->fault.empty()) return "backward not run: " + r.record.backward->fault;
  const auto* out = r.inputs.kwarg("out");
  if (out != nullptr && !out->is_none()) return "backward not run: the call has out=, which takes no gradient";
  if (session.standards.no_backward_apis.has(config::ApiNames(r.name())))
    return "backward not run: " + r.name().name + " is on the list of APIs without a comparable gradient";
  return "";
}

// Python's programs run with gradients on; under no_grad, what would carry a gradient shows none in the record. Some
// kernels (oneDNN's LSTM) ask for the mode itself, so it is on as well where nothing could carry one.
bool in_training(Rebuilt& r) {
  bool could = false;
  for_each_tensor(r.inputs, [&](at::Tensor& t) { could |= t.requires_grad(); });
  return !could || std::any_of(r.recorded.begin(), r.recorded.end(), [](const dump::Argument* a) {
    const auto* t = a->get_if<dump::TensorMeta>();
    return t != nullptr && t->requires_grad;
  });
}

bool has_data(const Session& session, const dump::Argument& argument) {
  const auto* meta = argument.get_if<dump::TensorMeta>();
  return meta != nullptr && !meta->data_name.empty() && session.index.has_real_data();
}

Value read(const Session& session, const Rebuilt& r, const dump::Argument& argument, const std::string& position) {
  Notes ignored;
  return inputs::build_value(argument, r.name().full, position, build_context(session), ignored);
}

}  // namespace

Rebuilt rebuild(const Session& session, dump::Record record) {
  Rebuilt r;
  r.record = std::move(record);
  const inputs::BuildContext context = build_context(session);
  inputs::Built built = inputs::build_inputs(r.record, context);
  r.inputs = std::move(built.arguments);
  r.notes = std::move(built.notes);
  const bool documented = session.options.profile() == config::Profile::kDocumented;
  if (auto reason = ops::skip_by_arguments(r.name(), r.inputs, session.standards, /*by_value=*/documented))
    throw Skip(*reason);
  r.dropout = ops::is_dropout(r.name()) && !(documented && ops::draws_nothing(r.name(), r.inputs));
  if (documented)
    if (const auto words = ops::python_refusal(r.name(), r.inputs)) throw Skip("Python refuses the call: " + *words);
  r.in_place = ops::is_inplace(r.name(), r.inputs);
  for_each_tensor(r.inputs, [&](at::Tensor& t) {
    r.float8_inputs |= at::isFloatingType(t.scalar_type()) && t.element_size() == 1;
  });
  if (r.record.forward.output) r.recorded = flatten(*r.record.forward.output);
  r.autocast = inputs::autocast_dtype(r.inputs, r.record.forward.output ? &*r.record.forward.output : nullptr);
  r.lost_dtype = lost_dtype(session.options.profile(), r.name(), r.inputs, r.recorded);
  r.not_raised = keeps_precision(session, r);
  std::string lacking;
  r.written = session.goldens.written_rows(r.name(), r.inputs, &lacking);
  r.notes.push_back(lacking);
  r.no_backward = why_no_backward(session, r);
  if (r.wants_backward()) r.output_gradients = inputs::build_output_gradients(r.record, context, r.notes);
  r.grad_mode = r.wants_backward() || in_training(r);
  return r;
}

at::Tensor recorded_tensor(const Session& session, const Rebuilt& r, size_t i) {
  if (!has_data(session, *r.recorded[i])) return {};
  const Value v = read(session, r, *r.recorded[i], "output." + std::to_string(i));
  return v.is_tensor() ? v.get<at::Tensor>().detach() : at::Tensor();
}

std::vector<at::Tensor> recorded_gradients(const Session& session, const Rebuilt& r) {
  std::vector<at::Tensor> gradients;
  if (!r.record.backward || !session.index.has_real_data()) return gradients;
  for (const dump::Argument* a : flatten(r.record.backward->output))
    if (has_data(session, *a)) gradients.push_back(read(session, r, *a, "backward.output").get<at::Tensor>());
  return gradients;
}

}  // namespace msprobe::check
