#include "check/called.h"

#include <algorithm>

#include "check/error_text.h"
#include "check/outputs.h"
#include "check/skip.h"
#include "check/users_golden.h"

namespace msprobe::check {
namespace {

using outcome::Stage;

// Operators exist that take one dtype only. A golden in that dtype proves less, so Message says it.
Side golden_side(const Session& session, const Rebuilt& r, const ops::Candidate& way, GoldenCall& call, Notes& notes) {
  session.enter(Stage::kGolden);
  if (!call.rounded.tensors.empty())
    notes.push_back("golden with inputs rounded to " + inputs::dtype_name(call.rounded.dtype) + ", as autocast did");
  ErrorText refusal;
  try {
    Notes assumed;
    Side side = call_golden(session, r, call.way, prepare(session, r, call, assumed));
    for (std::string& note : assumed) notes.push_back(std::move(note));
    return side;
  } catch (...) {
    refusal = describe_error(std::current_exception());
    if (refusal.out_of_memory() || r.not_raised) throw;
  }
  call.raised = false;
  call.way = way;
  try {
    Side side = call_golden(session, r, call.way, prepare(session, r, call, notes));
    notes.push_back("golden in the recorded precision, since raised to float64 the call fails: " + refusal.text);
    return side;
  } catch (...) {
    throw Skip(refusal.text, refusal.reason);
  }
}

size_t judged_outputs(const Session& session, const Rebuilt& r, const ops::Candidate& way) {
  const int* few = session.standards.judged_outputs.find(config::ApiNames(r.name()));
  return few != nullptr ? static_cast<size_t>(*few) : way.judged_outputs;
}

// The device's side; returns the form that the golden is to follow.
Form call_devices_side(const Session& session, const Rebuilt& r, const std::vector<ops::Candidate>& ways, Side first,
                       Called& called) {
  Chosen chosen = choose_form(session, r, ways, std::move(first));
  const ops::Candidate& way = ways[chosen.form.way];
  called.how = way.how;
  called.judged_outputs = judged_outputs(session, r, way);
  // A text that users and their scripts know, though the word for it is golden.
  if (r.name().type == "NPU" && session.device.type() != "npu")
    called.notes.emplace_back("no NPU here: the reference ran on both sides, the NPU's own kernel was not checked");
  for (std::string& note : form_notes(r, ways, chosen)) called.notes.push_back(std::move(note));
  called.device = std::move(chosen.device);
  session.device.synchronize();  // what it says late is not the golden's
  return chosen.form;
}

Called call_forward(const Session& session, const Rebuilt& r, Ways ways) {
  Called called;
  const Form form = called.form = call_devices_side(session, r, ways.candidates, std::move(ways.first), called);
  const ops::Candidate devices_way = ways.candidates[form.way];
  const goldens::Golden* users = session.goldens.users_golden(r.name());
  if (users != nullptr) called.notes.push_back("golden: " + users->source);
  const auto candidates = golden_ways(session, r, std::move(ways.candidates));
  const ops::Candidate& way = candidates[std::min(form.way, candidates.size() - 1)];
  // A user's golden is the yardstick in every precision: the operator that it stands beside does not excuse itself.
  called.cpu_way = r.name().type == "NPU" || users != nullptr ? way : devices_way;
  called.golden_call = golden_call(session, r, way, form.with_dtype, called.device.rounded);
  called.golden = golden_side(session, r, way, called.golden_call, called.notes);
  called.changed_argument = called.device.changed_argument || called.golden.changed_argument;
  if (users != nullptr) {
    if (users->remark) called.notes.push_back(users->remark());
    check_users_golden(session, r, *users, called.golden.outputs, called.device.outputs, called.judged_outputs);
  }
  if (r.record.forward.output && !called.changed_argument)
    called.notes.push_back(difference_from_record(called.device.outputs, r.recorded));
  return called;
}

}  // namespace

Called call(const Session& session, const Rebuilt& r, Ways ways) {
  Called called = call_forward(session, r, std::move(ways));
  session.enter(Stage::kComparison);
  Aligned aligned = align_decomposition(session.options.profile(), called.how, std::move(called.golden.outputs),
                                        called.device.outputs, r.grad_mode);
  called.golden.outputs = std::move(aligned.golden);
  called.alignment = std::move(aligned.alignment);
  // What an asynchronous device says of the forward call must not look like the backward's.
  session.device.synchronize();
  called.gradients = run_both_backward(session, r, called.device, called.golden, called.alignment);
  return called;
}

}  // namespace msprobe::check
