#include "check/choose.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/dtype_defaults.h"
#include "check/error_text.h"
#include "check/outputs.h"
#include "check/shape_text.h"
#include "goldens/candidates.h"
#include "ops/skip.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;

// Only to tell namesakes apart, so a loose likeness is enough.
bool values_near_record(const Replay& r, const Side& side) {
  for (size_t i = 0; i < r.recorded.size(); ++i) {
    at::Tensor recorded = r.recorded_tensor(i);
    const auto* t = side.outputs[i].get_if<at::Tensor>();
    if (!recorded.defined() || t == nullptr || t->numel() == 0) continue;
    at::Tensor a = t->detach().to(at::kCPU), b = recorded;
    if (at::isFloatingType(a.scalar_type())) {
      if (!at::allclose(a.to(at::kDouble), b.to(at::kDouble), 1e-2, 1e-3, /*equal_nan=*/true)) return false;
    } else if (at::isComplexType(a.scalar_type())) {
      if (!at::allclose(at::view_as_real(a.to(at::kComplexDouble).resolve_conj()),
                        at::view_as_real(b.to(at::kComplexDouble)), 1e-2, 1e-3, /*equal_nan=*/true))
        return false;
    } else if (!at::equal(a, b)) {
      return false;
    }
  }
  return true;
}

bool fits_record(const Replay& r, const Side& side) {
  if (!r.record.forward.output || r.compared_argument) return true;
  if (!difference_from_record(side.outputs, r.recorded).empty()) return false;
  return !r.session.index.has_real_data() || ops::is_dropout(r.name) || values_near_record(r, side);
}

// Integers, floating numbers and complex ones are compared by rules of their own.
std::string_view kind_of(at::ScalarType dtype) {
  if (at::isComplexType(dtype)) return "complex";
  if (at::isFloatingType(dtype)) return "floating";
  return "integer";
}

// Why a golden of one dtype cannot judge an output of another; empty: it can.
std::string dtype_refusal(at::ScalarType golden, at::ScalarType output) {
  if (kind_of(golden) != kind_of(output)) return "another kind of number";
  if (!at::isFloatingType(golden) && !at::isComplexType(golden)) return "";
  return c10::elementSize(golden) < c10::elementSize(output) ? "less precision than what it is to judge" : "";
}

// A golden that gives other shapes or dtypes than the operator did says nothing about it.
void check_users_golden(const Replay& r, const goldens::Golden& golden) {
  using Shape = std::optional<std::vector<int64_t>>;  // nullopt: no tensor
  auto of_value = [](const Value& v) -> Shape {
    const auto* t = v.get_if<at::Tensor>();
    return t != nullptr && t->defined() ? Shape(t->sizes().vec()) : std::nullopt;
  };
  std::vector<Shape> given, expected;
  std::vector<std::optional<at::ScalarType>> dtypes;  // of expected; nullopt: not known
  for (const Value& v : r.golden.outputs) given.push_back(of_value(v));
  const bool beside_operator = r.name.type != "NPU" || r.session.device.type() == "npu";
  if (beside_operator) {
    for (const Value& v : r.device.outputs) {
      expected.push_back(of_value(v));
      const auto* t = v.get_if<at::Tensor>();
      dtypes.push_back(t != nullptr && t->defined() ? std::optional(t->scalar_type()) : std::nullopt);
    }
  } else {
    for (const dump::Argument* a : r.recorded) {
      const auto* meta = a->get_if<dump::TensorMeta>();
      expected.push_back(meta != nullptr ? Shape(meta->shape) : std::nullopt);
      dtypes.push_back(meta != nullptr ? inputs::parse_scalar_type(meta->dtype) : std::nullopt);
    }
    if (expected.empty()) return;
  }
  const std::string who = "the golden (" + golden.source + ") gives ";
  const std::string whose = beside_operator ? "the operator gives " : "recorded ";
  auto text = [](const Shape& shape) { return shape ? "shape " + shape_text(*shape) : "no tensor"; };
  const size_t n = std::min(r.judged_outputs, expected.size());
  if (given.size() < n || (given.size() > expected.size() && r.judged_outputs > expected.size()))
    throw Skip(who + util::count_of(given.size(), "output") + ", " + whose + std::to_string(expected.size()));
  for (size_t i = 0; i < n; ++i) {
    const std::string output = "output " + std::to_string(i) + ": ";
    if (given[i] != expected[i]) throw Skip(output + who + text(given[i]) + ", " + whose + text(expected[i]));
    if (!given[i] || !dtypes[i]) continue;
    const at::ScalarType dtype = r.golden.outputs[i].get<at::Tensor>().scalar_type();
    if (const std::string why = dtype_refusal(dtype, *dtypes[i]); !why.empty())
      throw Skip(output + who + inputs::dtype_name(dtype) + ", " + whose + inputs::dtype_name(*dtypes[i]) + ": " + why);
  }
}

// One reading of what the dump does not record: which function, the dtype behind a positional `{}`, and autocast.
struct Form {
  size_t way;
  bool with_dtype, autocast;
};

std::string lost_dtype_text(const Replay& r) {
  const bool by_position =
      std::any_of(r.inputs.args.begin(), r.inputs.args.end(), [](const Value& v) { return v.is<inputs::Opaque>(); });
  return std::string(by_position ? "dtype given by position" : "a tensor class given as dtype") +
         " is not recorded, taken from the recorded output";
}

// Functions that a Python function can be given, which a dump does not hold. torch.nn's modules name PyTorch's own
// there as well, so only a recorded value can tell.
constexpr std::pair<std::string_view, std::string_view> kCallables[] = {
    {"Functional.triplet_margin_with_distance_loss", "distance_function"}};

void check_callable(const Replay& r) {
  for (const auto& [api, parameter] : kCallables) {
    if (r.name.type + "." + r.name.name != api || r.inputs.kwarg(parameter) == nullptr) continue;
    const bool told = !r.recorded.empty() && r.recorded_tensor(0).defined();
    if (!told || !fits_record(r, r.device)) throw Skip(std::string(parameter) + " is not recorded");
  }
}

// Calls the device's side until a form gives what was recorded; else the first that could be called stays.
Form call_device(Replay& r) {
  const std::vector<ops::Candidate>& ways = r.ways;
  const auto autocast = r.autocast;
  const bool dtype_lost = r.lost_dtype().has_value();
  std::vector<Form> forms;
  for (size_t w = 0; w < ways.size(); ++w)
    for (bool with_autocast : autocast ? std::vector<bool>{true, false} : std::vector<bool>{false})
      for (bool with_dtype : dtype_lost ? std::vector<bool>{true, false} : std::vector<bool>{false})
        forms.push_back({w, with_dtype, with_autocast});
  std::exception_ptr first_error, first_mismatch_error;
  std::optional<Side> fallback;
  std::optional<Form> chosen, fallback_form;
  for (const Form& form : forms) {
    try {
      r.compared_argument = false;
      r.autocast = form.autocast ? autocast : std::nullopt;
      Side side = r.first ? *std::exchange(r.first, std::nullopt) : r.prepare(false, form.with_dtype);
      r.invoke(ways[form.way], side, false);
      if (forms.size() == 1 || fits_record(r, side)) {
        r.device = std::move(side);
        chosen = form;
        break;
      }
      if (!fallback) {
        fallback = std::move(side);
        fallback_form = form;
      }
    } catch (const ops::NoMatch&) {
      if (!first_mismatch_error) first_mismatch_error = std::current_exception();
    } catch (...) {
      if (!first_error) first_error = std::current_exception();
    }
  }
  const bool fits = chosen.has_value();
  if (!fits) {
    if (!fallback) std::rethrow_exception(first_error ? first_error : first_mismatch_error);
    r.device = std::move(*fallback);
    chosen = fallback_form;
  }
  check_callable(r);
  r.autocast = chosen->autocast ? autocast : std::nullopt;
  r.how = ways[chosen->way].how;
  r.judged_outputs = ways[chosen->way].judged_outputs;
  const auto& few = r.session.standards.judged_outputs;
  if (auto n = few.find(r.name.last()); n != few.end()) r.judged_outputs = static_cast<size_t>(n->second);
  // A text that users and their scripts know, though the word for it is golden.
  if (r.name.type == "NPU" && r.session.device.type() != "npu")
    r.note("no NPU here: the reference ran on both sides, the NPU's own kernel was not checked");
  if (fits && chosen->way > 0) r.note("called as " + ways[chosen->way].how + ", which gives the recorded output");
  if (!fits && ways.size() > 1)
    r.note("called as " + ways[chosen->way].how + "; no way to call it gives the recorded output");
  if (chosen->with_dtype) r.note(lost_dtype_text(r));
  if (fits && autocast && !chosen->autocast) r.note("replayed without autocast, as the recorded output's dtype shows");
  return *chosen;
}

// In the same form as the device's.
void call_golden(Replay& r, const ops::Candidate& way, bool with_dtype) {
  r.session.enter(outcome::Stage::kGolden);
  try {
    r.golden = r.prepare(true, with_dtype);
    const std::string filled = fill_dtype_defaults(r, r.golden.arguments);
    r.invoke(way, r.golden, true);
    r.note(filled);
  } catch (...) {
    // Operators exist that take one dtype only. A golden in that dtype proves less, so Message says it.
    auto refusal = describe_error(std::current_exception());
    if (refusal.out_of_memory() || r.not_raised()) throw;
    r.golden_refused = true;
    r.golden = r.prepare(true, with_dtype);
    try {
      r.invoke(way, r.golden, true);
    } catch (...) {
      throw Skip(refusal.text);
    }
    r.note("golden in the recorded precision, since raised to float64 the call fails: " + refusal.text);
  }
}

}  // namespace

void find_ways(Replay& r) {
  r.ways = r.candidates(false);
  if (r.ways.empty()) throw Skip(goldens::nothing_to_call(r.session.goldens, r.name));
  r.first = r.prepare(false, r.lost_dtype().has_value());
}

void call_both(Replay& r) {
  const Form form = call_device(r);
  r.session.device.synchronize();  // what it says late is not the golden's
  // Only an NPU operator's golden, or a user's, is called in another way than the device's.
  const goldens::Golden* users_golden = r.session.goldens.users_golden(r.name);
  const auto golden_ways = r.name.type == "NPU" || users_golden != nullptr ? r.candidates(true) : r.ways;
  if (users_golden != nullptr) r.note("golden: " + users_golden->source);
  if (golden_ways.empty()) throw Skip(goldens::nothing_to_call(r.session.goldens, r.name));
  call_golden(r, golden_ways[std::min(form.way, golden_ways.size() - 1)], form.with_dtype);
  if (users_golden != nullptr) {
    if (users_golden->remark) r.note(users_golden->remark());
    check_users_golden(r, *users_golden);
  }
  if (r.record.forward.output && !r.compared_argument) r.note(difference_from_record(r.device.outputs, r.recorded));
}

}  // namespace msprobe::check
