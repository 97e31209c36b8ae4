#include "run/execute.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "fused/registry.h"
#include "fused/user.h"
#include "inputs/build.h"
#include "inputs/precision.h"
#include "metrics/compare.h"
#include "ops/registry.h"
#include "ops/skip.h"
#include "run/autocast.h"
#include "run/backward.h"
#include "run/error_data.h"
#include "run/error_text.h"
#include "run/index_outputs.h"
#include "run/outputs.h"
#include "run/skipped.h"

namespace msprobe::run {
namespace {

using inputs::Arguments;
using inputs::Value;
using metrics::ApiOutcome;
using metrics::Row;
using metrics::Status;

// Why an API is SKIP; caught at the edge of the API.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void add_note(std::string& message, const std::string& note) {
  if (note.empty() || message.find(note) != std::string::npos) return;
  message += (message.empty() ? "" : "; ") + note;
}

Row skip_row(const std::string& api, const char* direction, const std::string& reason) {
  Row row;
  row.name = api + direction + "output.0";
  row.message = reason;
  return row;
}

constexpr const char* kForward = ".forward.";
constexpr const char* kBackward = ".backward.";

// One side of the check: golden or device.
struct Side {
  Arguments arguments;             // what the call gets
  std::vector<at::Tensor> leaves;  // tensors of the positional arguments, in order: whose gradients are compared
  std::vector<Value> outputs;      // flat
  std::vector<at::Tensor> gradients;
};

// One API on its way through both sides.
class Check {
 public:
  Check(const Session& session, dump::Record record) : s_(session), record_(std::move(record)), name_(record_.name) {}

  ApiOutcome run() {
    outcome_.api = name_.full;
    build();
    call_both();
    s_.device.synchronize();  // what an asynchronous device says of the forward call must not look like the backward's
    backward_both();
    compare_forward();
    compare_backward();
    compare_with_record();
    save();
    return std::move(outcome_);
  }

 private:
  inputs::BuildContext context() const {
    return {s_.settings, s_.standards, s_.index.tensor_dir(), s_.index.has_real_data(), s_.device.type() == "npu"};
  }

  void note(const std::string& text) { add_note(outcome_.message, text); }

  void build() {
    auto built = inputs::build_inputs(record_, context());
    inputs_ = std::move(built.arguments);
    for (const auto& n : built.notes) note(n);
    if (auto reason = ops::skip_by_arguments(name_, inputs_, s_.standards)) throw Skip(*reason);
    in_place_ = ops::is_inplace(name_, inputs_);
    for_each_tensor(inputs_, [&](at::Tensor& t) {
      float8_inputs_ |= at::isFloatingType(t.scalar_type()) && t.element_size() == 1;
    });
    if (record_.forward.output) recorded_ = flatten(*record_.forward.output);
    autocast_ = inputs::autocast_dtype(inputs_, record_.forward.output ? &*record_.forward.output : nullptr);
    written_ = fused::written_rows(name_, inputs_);
    plan_backward();
    grad_mode_ = want_backward_ || in_training();
  }

  // Python's programs run with gradients on; under no_grad, what would carry a gradient shows none in the record. Some
  // kernels (oneDNN's LSTM) ask for the mode itself, so it is on as well where nothing could carry one.
  bool in_training() {
    bool could = false;
    for_each_tensor(inputs_, [&](at::Tensor& t) { could |= t.requires_grad(); });
    return !could || std::any_of(recorded_.begin(), recorded_.end(), [](const dump::Argument* a) {
      const auto* t = a->get_if<dump::TensorMeta>();
      return t != nullptr && t->requires_grad;
    });
  }

  void plan_backward() {
    if (!record_.backward) return;
    const auto* out = inputs_.kwarg("out");
    if (out != nullptr && !out->is_none()) {
      backward_reason_ = "backward not run: the call has out=, which takes no gradient";
    } else if (s_.standards.no_backward_apis.count(name_.name) != 0) {
      backward_reason_ = "backward not run: " + name_.name + " is on the list of APIs without a comparable gradient";
    } else {
      want_backward_ = true;
      std::vector<std::string> notes;
      gradients_ = inputs::build_output_gradients(record_, context(), notes);
      for (const auto& n : notes) note(n);
    }
  }

  // Fresh arguments for an attempt on one side. with_dtype: a positional `{}` becomes the recorded output's dtype.
  Side prepare(bool golden, bool with_dtype) const {
    Side side;
    side.arguments = golden ? inputs::golden_arguments(inputs_, name_, s_.settings.profile, not_raised())
                            : inputs::device_arguments(inputs_, name_, s_.device.at_device());
    if (with_dtype) {
      at::ScalarType dtype = *lost_dtype();
      if (golden) dtype = raised(dtype);
      for (auto& a : side.arguments.args)
        if (a.is<inputs::Opaque>()) a = Value(dtype);
    }
    for (auto& a : side.arguments.args) for_each_tensor(a, [&](at::Tensor& t) { side.leaves.push_back(t); });
    if (side.leaves.empty())
      for (auto& [n, a] : side.arguments.kwargs) for_each_tensor(a, [&](at::Tensor& t) { side.leaves.push_back(t); });
    // Python's program had a non-leaf where it changed a tensor that requires grad in place; a leaf would refuse.
    if (in_place_ && grad_mode_) {
      for_each_tensor(side.arguments, [](at::Tensor& t) {
        if (t.requires_grad() && t.is_leaf()) {
          at::AutoGradMode on(true);
          t = t.clone();
        }
      });
    }
    return side;
  }

  // The golden keeps the recorded precision. view and type only where a dtype, not a shape, was given.
  bool not_raised() const {
    if (golden_refused_) return true;
    if (s_.standards.not_raised.count(name_.last()) == 0) return false;
    if (name_.name != "view" && name_.name != "type") return true;
    auto is_dtype = [](const Value& v) { return v.is<at::ScalarType>() || v.is<inputs::Opaque>(); };
    return name_.name == "type" || std::any_of(inputs_.args.begin(), inputs_.args.end(), is_dtype) ||
           inputs_.kwarg("dtype") != nullptr;
  }

  at::ScalarType raised(at::ScalarType dtype) const {
    if (not_raised()) return dtype;
    if (s_.settings.profile == config::Profile::kDocumented) {
      if (at::isComplexType(dtype)) return at::kComplexDouble;
      return at::isFloatingType(dtype) ? at::kDouble : dtype;
    }
    if (dtype == at::kHalf || dtype == at::kBFloat16) return at::kFloat;
    return dtype == at::kFloat ? at::kDouble : dtype;
  }

  // The dumper writes a dtype given by position as `{}`; the recorded output tells which it was.
  std::optional<at::ScalarType> lost_dtype() const {
    bool lost =
        std::any_of(inputs_.args.begin(), inputs_.args.end(), [](const Value& v) { return v.is<inputs::Opaque>(); });
    if (!lost || recorded_.empty()) return std::nullopt;
    const auto* meta = recorded_[0]->get_if<dump::TensorMeta>();
    return meta != nullptr ? inputs::parse_scalar_type(meta->dtype) : std::nullopt;
  }

  void invoke(const ops::Candidate& candidate, Side& side, bool golden) const {
    s_.device.seed(s_.settings.seed);
    at::AutoGradMode grad(grad_mode_);
    Value result;
    {
      AutocastScope autocast(s_.device.autocast_type(), golden ? std::nullopt : autocast_);
      result = candidate.call(side.arguments);
    }
    side.outputs = flatten(result);
    // __setitem__ and its like return nothing: what they did stands in their first argument.
    bool nothing = std::all_of(side.outputs.begin(), side.outputs.end(), [](const Value& v) { return v.is_none(); });
    if (nothing && in_place_) {
      for (auto& a : side.arguments.args) {
        std::vector<Value> changed;  // one tensor, or the list of a _foreach_ call
        for_each_tensor(a, [&](at::Tensor& t) { changed.emplace_back(t); });
        if (changed.empty()) continue;
        side.outputs = std::move(changed);
        compared_argument_ = true;
        break;
      }
    }
  }

  std::vector<ops::Candidate> candidates(bool golden) const {
    if (name_.type == "NPU" || (golden && fused::users_golden(name_) != nullptr))
      return fused::candidates(name_, inputs_, golden, s_.device);
    return ops::candidates(name_, inputs_);
  }

  bool fits_record(const Side& side) const {
    if (!record_.forward.output || compared_argument_) return true;
    if (!difference_from_record(side.outputs, recorded_).empty()) return false;
    return !s_.index.has_real_data() || ops::is_dropout(name_) || values_near_record(side);
  }

  // Only to tell namesakes apart, so a loose likeness is enough.
  bool values_near_record(const Side& side) const {
    for (size_t i = 0; i < recorded_.size(); ++i) {
      at::Tensor recorded = recorded_tensor(i);
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

  at::Tensor recorded_tensor(size_t i) const {
    const auto* meta = recorded_[i]->get_if<dump::TensorMeta>();
    if (meta == nullptr || meta->data_name.empty() || !s_.index.has_real_data()) return {};
    std::vector<std::string> ignored;
    Value v = inputs::build_value(*recorded_[i], name_.full, "output." + std::to_string(i), context(), ignored);
    return v.is_tensor() ? v.get<at::Tensor>().detach() : at::Tensor();
  }

  // The device chooses among the candidates (its results can be held against the record), the golden follows.
  void call_both() {
    auto device_ways = candidates(false);
    if (device_ways.empty()) throw Skip(ops::nothing_to_call(name_));
    // A form is one reading of what the dump does not record: the dtype behind a positional `{}`, and autocast.
    struct Form {
      size_t way;
      bool with_dtype, autocast;
    };
    std::vector<Form> forms;
    for (size_t w = 0; w < device_ways.size(); ++w)
      for (bool autocast : autocast_ ? std::vector<bool>{true, false} : std::vector<bool>{false})
        for (bool with_dtype : lost_dtype() ? std::vector<bool>{true, false} : std::vector<bool>{false})
          forms.push_back({w, with_dtype, autocast});
    std::exception_ptr first_error, first_mismatch_error;
    std::optional<Side> fallback;
    std::optional<Form> chosen, fallback_form;
    const auto autocast = autocast_;
    for (const Form& form : forms) {
      try {
        compared_argument_ = false;
        autocast_ = form.autocast ? autocast : std::nullopt;
        Side side = prepare(false, form.with_dtype);
        invoke(device_ways[form.way], side, false);
        if (forms.size() == 1 || fits_record(side)) {
          device_ = std::move(side);
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
      device_ = std::move(*fallback);
      chosen = fallback_form;
    }
    autocast_ = chosen->autocast ? autocast : std::nullopt;
    judged_outputs_ = device_ways[chosen->way].judged_outputs;
    if (auto few = s_.standards.judged_outputs.find(name_.last()); few != s_.standards.judged_outputs.end())
      judged_outputs_ = static_cast<size_t>(few->second);
    if (name_.type == "NPU" && s_.device.type() != "npu")
      note("no NPU here: the reference ran on both sides, the NPU's own kernel was not checked");
    if (fits && chosen->way > 0)
      note("called as " + device_ways[chosen->way].how + ", which gives the recorded output");
    if (!fits && device_ways.size() > 1)
      note("called as " + device_ways[chosen->way].how + "; no way to call it gives the recorded output");
    if (chosen->with_dtype) note("dtype given by position is not recorded, taken from the recorded output");
    if (fits && autocast && !chosen->autocast) note("replayed without autocast, as the recorded output's dtype shows");

    // Only an NPU operator's golden, or a user's, is called in another way than the device's.
    const fused::Operator* users_golden = fused::users_golden(name_);
    const auto golden_ways = name_.type == "NPU" || users_golden != nullptr ? candidates(true) : device_ways;
    if (users_golden != nullptr) note("golden: " + users_golden->source);
    size_t way = std::min(chosen->way, golden_ways.empty() ? 0 : golden_ways.size() - 1);
    if (golden_ways.empty()) throw Skip(ops::nothing_to_call(name_));
    try {
      golden_ = prepare(true, chosen->with_dtype);
      invoke(golden_ways[way], golden_, true);
    } catch (...) {
      // Operators exist that take one dtype only. A golden in that dtype proves less, so Message says it.
      auto refusal = describe_error(std::current_exception());
      if (refusal.out_of_memory || not_raised()) throw;
      golden_refused_ = true;
      golden_ = prepare(true, chosen->with_dtype);
      try {
        invoke(golden_ways[way], golden_, true);
      } catch (...) {
        throw Skip(refusal.text);
      }
      note("golden in the recorded precision, since raised to float64 the call fails: " + refusal.text);
    }
    if (users_golden != nullptr) check_users_golden(*users_golden);
    if (record_.forward.output && !compared_argument_) note(difference_from_record(device_.outputs, recorded_));
  }

  // A golden that gives other shapes than the operator did says nothing about it.
  void check_users_golden(const fused::Operator& golden) const {
    using Shape = std::optional<std::vector<int64_t>>;  // nullopt: no tensor
    auto of_value = [](const Value& v) -> Shape {
      const auto* t = v.get_if<at::Tensor>();
      return t != nullptr && t->defined() ? Shape(t->sizes().vec()) : std::nullopt;
    };
    std::vector<Shape> given, expected;
    for (const Value& v : golden_.outputs) given.push_back(of_value(v));
    const bool beside_operator = name_.type != "NPU" || s_.device.type() == "npu";
    if (beside_operator) {
      for (const Value& v : device_.outputs) expected.push_back(of_value(v));
    } else {
      for (const dump::Argument* a : recorded_) {
        const auto* meta = a->get_if<dump::TensorMeta>();
        expected.push_back(meta != nullptr ? Shape(meta->shape) : std::nullopt);
      }
      if (expected.empty()) return;
    }
    const std::string who = "the golden (" + golden.source + ") gives ";
    const std::string whose = beside_operator ? "the operator gives " : "recorded ";
    auto text = [](const Shape& shape) { return shape ? "shape " + metrics::python_shape(*shape) : "no tensor"; };
    const size_t n = std::min(judged_outputs_, expected.size());
    if (given.size() < n || (given.size() > expected.size() && judged_outputs_ > expected.size()))
      throw Skip(who + std::to_string(given.size()) + " outputs, " + whose + std::to_string(expected.size()));
    for (size_t i = 0; i < n; ++i)
      if (given[i] != expected[i])
        throw Skip("output " + std::to_string(i) + ": " + who + text(given[i]) + ", " + whose + text(expected[i]));
  }

  void backward_both() {
    if (!want_backward_) return;
    try {
      auto plan = plan_gradients(device_.outputs, gradients_);
      if (!plan.refusal.empty() && !plan_by_record(plan)) {
        backward_reason_ = "backward not run: " + plan.refusal;
        return;
      }
      device_.gradients = run_backward(device_.outputs, gradients_, plan, device_.leaves);
      golden_.gradients = run_backward(golden_.outputs, gradients_, plan, golden_.leaves);
      s_.device.synchronize();
      ran_backward_ = true;
    } catch (...) {
      auto error = describe_error(std::current_exception());
      if (error.out_of_memory) s_.device.empty_cache();
      backward_reason_ = "backward raised: " + error.text;
    }
  }

  // Outputs of one shape, fewer gradients: the recorded gradients of the inputs tell which outputs they came from.
  bool plan_by_record(GradientPlan& plan) {
    constexpr size_t kMostPlans = 64;
    if (!s_.index.has_real_data()) return false;
    std::vector<at::Tensor> recorded;
    for (const dump::Argument* a : flatten(record_.backward->output)) {
      const auto* meta = a->get_if<dump::TensorMeta>();
      if (meta == nullptr || meta->data_name.empty()) continue;
      std::vector<std::string> ignored;
      recorded.push_back(inputs::build_value(*a, name_.full, "backward.output", context(), ignored).get<at::Tensor>());
    }
    if (recorded.empty()) return false;
    for (const auto& candidate : possible_plans(device_.outputs, gradients_, kMostPlans)) {
      auto found = run_backward(device_.outputs, gradients_, candidate, device_.leaves, /*keep_graph=*/true);
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
      note("gradients given to the outputs that the recorded gradients of the inputs show");
      return true;
    }
    return false;
  }

  static at::Tensor comparable(const at::Tensor& t) {
    at::Tensor x = t.detach();
    if (x.is_quantized()) x = x.dequantize();
    if (x.layout() != at::kStrided) x = x.to_dense();
    return x.to(at::kCPU).resolve_conj().resolve_neg();
  }

  metrics::CompareContext compare_context(bool backward) const {
    return {s_.settings, s_.standards, name_.type, name_.name, backward, ops::is_dropout(name_), float8_inputs_};
  }

  // MindStudio judges dropout but writes no details row for it; its api_precision_compare expects none.
  bool rows_are_written() const {
    return s_.settings.profile == config::Profile::kDocumented || !ops::is_dropout(name_);
  }

  void compare_forward() {
    std::vector<Row> rows;
    auto context = compare_context(false);
    size_t n = std::min(judged_outputs_, std::max(golden_.outputs.size(), device_.outputs.size()));
    for (size_t i = 0; i < n; ++i) {
      Row row;
      row.name = name_.full + kForward + "output." + std::to_string(i);
      if (i >= golden_.outputs.size() || i >= device_.outputs.size()) {
        row.status = Status::kError;
        row.message = "golden gives " + std::to_string(golden_.outputs.size()) + " outputs, device gives " +
                      std::to_string(device_.outputs.size());
      } else {
        compare_output(golden_.outputs[i], device_.outputs[i], context, row);
        if (const std::string unwritten = unwritten_rows(device_.outputs[i]); !unwritten.empty()) {
          add_note(row.message, unwritten);
          note("output " + std::to_string(i) + ": " + unwritten);
        }
      }
      rows.push_back(std::move(row));
    }
    outcome_.forward = rows.empty() ? Status::kSkip : metrics::combine(rows);
    if (rows.empty()) rows.push_back(skip_row(name_.full, kForward, "the call returned nothing to compare"));
    if (outcome_.forward == Status::kSkip) note(rows[0].message);
    if (rows_are_written()) append(rows);
  }

  void compare_output(const Value& golden, const Value& device, const metrics::CompareContext& context,
                      Row& row) const {
    const auto *g = golden.get_if<at::Tensor>(), *d = device.get_if<at::Tensor>();
    if (g != nullptr && !g->defined()) g = nullptr;
    if (d != nullptr && !d->defined()) d = nullptr;
    bool no_golden = g == nullptr && (golden.is_none() || golden.is_tensor());
    bool no_device = d == nullptr && (device.is_none() || device.is_tensor());
    if (g != nullptr && d != nullptr) {
      if (g->is_meta() || d->is_meta()) {
        row.message = "a meta tensor carries no data";
        return;
      }
      at::Tensor gc = comparable(*g), dc = comparable(*d);
      if (gc.sizes() == dc.sizes()) {
        gc = written_part(gc);
        dc = written_part(dc);
      }
      const bool indices = s_.settings.profile == config::Profile::kDocumented &&
                           s_.standards.index_apis.count(name_.last()) != 0 &&
                           at::isIntegralType(dc.scalar_type(), false);
      if (indices && !inputs_.args.empty() && inputs_.args[0].is_tensor()) {
        if (auto rule = index_output(name_.last(), inputs_)) {
          at::Tensor values = comparable(device_.arguments.args[0].get<at::Tensor>());
          metrics::compare_indices(gc, dc, values, rule->dim, rule->distinct, context, row);
          return;
        }
      }
      metrics::compare_tensors(gc, dc, context, row);
    } else if (no_golden && no_device) {
      row.message = "the call returned None here, nothing to compare";
    } else {
      auto gb = as_builtin(golden), db = as_builtin(device);
      if (g == nullptr && d == nullptr && gb && db) {
        metrics::compare_builtins(*gb, *db, context, row);
      } else {
        row.status = Status::kError;
        row.message = "golden gives " + describe_value(golden) + ", device gives " + describe_value(device);
      }
    }
  }

  // What an operator leaves unwritten holds whatever was in memory.
  at::Tensor written_part(const at::Tensor& t) const {
    return written_ && t.dim() > 0 && t.size(0) > written_->rows ? t.narrow(0, 0, written_->rows) : t;
  }

  std::string unwritten_rows(const Value& output) const {
    const auto* t = output.get_if<at::Tensor>();
    if (!written_ || t == nullptr || !t->defined() || t->dim() == 0 || t->size(0) <= written_->rows) return "";
    return std::to_string(t->size(0) - written_->rows) + " of " + std::to_string(t->size(0)) + " rows lie beyond " +
           written_->argument + " and are not judged";
  }

  void compare_backward() {
    if (!record_.backward) return;
    std::vector<Row> rows;
    if (!ran_backward_) {
      rows.push_back(skip_row(name_.full, kBackward, backward_reason_));
      note(backward_reason_);
    } else {
      auto context = compare_context(true);
      for (size_t i = 0; i < device_.gradients.size(); ++i) {
        Row row;
        row.name = name_.full + kBackward + "output." + std::to_string(i);
        const auto &g = golden_.gradients[i], &d = device_.gradients[i];
        if (!g.defined() && !d.defined()) {
          row.message = device_.leaves[i].requires_grad() ? "no gradient reached this input"
                                                          : "this input does not require a gradient";
        } else if (!g.defined() || !d.defined()) {
          row.status = Status::kError;
          row.message =
              std::string("a gradient reached this input only on the ") + (g.defined() ? "golden" : "device") + " side";
        } else {
          metrics::compare_tensors(comparable(g), comparable(d), context, row);
        }
        rows.push_back(std::move(row));
      }
      if (rows.empty()) rows.push_back(skip_row(name_.full, kBackward, "no tensor among the arguments"));
    }
    outcome_.backward = metrics::combine(rows);
    if (outcome_.backward == Status::kSkip && ran_backward_) note("backward: " + rows[0].message);
    if (rows_are_written()) append(rows);
  }

  void append(std::vector<Row>& rows) {
    for (auto& row : rows) outcome_.rows.push_back(std::move(row));
  }

  // An error that the training run saw and the replay does not show is news.
  void compare_with_record() {
    if (!s_.index.has_real_data() || compared_argument_ || ops::is_dropout(name_)) return;
    size_t n = std::min({recorded_.size(), device_.outputs.size(), judged_outputs_});
    for (size_t i = 0; i < n; ++i) {
      const auto* t = device_.outputs[i].get_if<at::Tensor>();
      if (t == nullptr || !t->defined()) continue;
      try {
        at::Tensor recorded = recorded_tensor(i);
        if (!recorded.defined()) continue;
        at::Tensor replayed = comparable(*t);
        if (replayed.sizes() == recorded.sizes()) {
          replayed = written_part(replayed);
          recorded = written_part(recorded);
        }
        if (replayed.scalar_type() == recorded.scalar_type() && replayed.sizes() == recorded.sizes() &&
            !at::isFloatingType(recorded.scalar_type()) && !at::isComplexType(recorded.scalar_type())) {
          int64_t differing = at::ne(replayed, recorded).sum().item<int64_t>();
          outcome_.recorded_ulp = std::max(outcome_.recorded_ulp.value_or(0), static_cast<double>(differing));
          if (differing > 0)
            note("recorded output " + std::to_string(i) + " differs from the replay in " + std::to_string(differing) +
                 " of " + std::to_string(recorded.numel()) + " elements");
          continue;
        }
        auto ulp = metrics::max_ulp_distance(replayed, recorded);
        double distance = ulp.value_or(std::numeric_limits<double>::infinity());
        outcome_.recorded_ulp = std::max(outcome_.recorded_ulp.value_or(0), distance);
        if (!ulp) {
          note("recorded output " + std::to_string(i) + " has another dtype or shape than the replay's");
        } else if (*ulp > 0) {
          char text[64];
          std::snprintf(text, sizeof text, "%.6g", *ulp);
          note("recorded output " + std::to_string(i) + " differs from the replay by up to " + text + " ULP");
        }
      } catch (const std::exception&) {
        note("recorded output " + std::to_string(i) + ": " + describe_error(std::current_exception()).text);
      }
    }
  }

  void save() {
    auto mode = s_.settings.save_data;
    auto good = [](Status s) { return s == Status::kPass || s == Status::kBlank || s == Status::kSkip; };
    if (mode == config::SaveData::kNone) return;
    if (mode == config::SaveData::kError && good(outcome_.forward) && good(outcome_.backward)) return;
    note(save_evidence(s_.error_data_dir, name_.full,
                       {inputs_, gradients_, golden_.outputs, device_.outputs, golden_.gradients, device_.gradients}));
  }

  const Session& s_;
  dump::Record record_;
  const dump::ApiName& name_;
  ApiOutcome outcome_;
  Arguments inputs_;
  std::vector<Value> gradients_;
  std::vector<const dump::Argument*> recorded_;  // flat recorded outputs
  std::optional<at::ScalarType> autocast_;
  std::optional<fused::WrittenRows> written_;  // rows that the operator leaves unwritten are not judged
  Side device_, golden_;
  std::string backward_reason_;
  size_t judged_outputs_ = static_cast<size_t>(-1);
  bool golden_refused_ = false;  // raised to the golden's precision the call failed
  bool float8_inputs_ = false;
  bool in_place_ = false, want_backward_ = false, ran_backward_ = false, grad_mode_ = false;
  mutable bool compared_argument_ = false;  // the compared output is the changed first argument
};

// After an API that ended early: what it left running on the device must not fail under the next one's name, and memory
// that was short is given back. A device that still fails is lost to this process, which is then replaced.
std::string told_after(device::Device& device, const ErrorText& error) {
  try {
    device.synchronize();
  } catch (...) {
    const std::string last = describe_error(std::current_exception()).text;
    return "device lost: " + error.text + (last == error.text ? "" : "; then " + last);
  }
  if (!error.out_of_memory) return error.text;
  try {
    device.empty_cache();
  } catch (...) {
    return error.text + "; emptying the cache: " + describe_error(std::current_exception()).text;
  }
  return error.text;
}

}  // namespace

ApiOutcome check_api(const Session& session, size_t i) {
  auto start = std::chrono::steady_clock::now();
  std::string api(session.index.entries()[i].api);
  ApiOutcome outcome;
  try {
    if (auto reason = ops::skip_by_name(dump::parse_api_name(api), session.settings, session.standards)) {
      outcome = skipped_outcome(api, *reason);
    } else {
      outcome = Check(session, session.index.read(i)).run();
    }
  } catch (...) {
    outcome = skipped_outcome(api, told_after(session.device, describe_error(std::current_exception())));
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace msprobe::run
