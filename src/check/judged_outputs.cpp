#include "check/judged_outputs.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/changed_arguments.h"
#include "check/index_outputs.h"
#include "check/jumps.h"
#include "check/outputs.h"
#include "metrics/assess.h"
#include "metrics/compare.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Row;
using outcome::Status;

std::string unwritten_rows(const Rebuilt& r, const Value& output) {
  const auto* t = output.get_if<at::Tensor>();
  if (!r.written || t == nullptr || !t->defined() || t->dim() == 0 || t->size(0) <= r.written->rows) return "";
  return std::to_string(t->size(0) - r.written->rows) + " of " + std::to_string(t->size(0)) + " rows lie beyond " +
         r.written->argument + " and are not judged";
}

// Columns of `mask`, one below the other.
at::Tensor columns(const at::Tensor& t, const at::Tensor& mask) {
  return t.movedim(-1, -2).index({mask});
}

// A tensor, or nullptr: none, or an undefined one.
const at::Tensor* tensor_of(const Value& value) {
  const auto* t = value.get_if<at::Tensor>();
  return t != nullptr && t->defined() ? t : nullptr;
}

// None, or the undefined tensor that stands for it.
bool is_nothing(const Value& value) {
  return tensor_of(value) == nullptr && (value.is_none() || value.is_tensor());
}

class OutputJudge {
 public:
  OutputJudge(const Session& session, const Rebuilt& rebuilt, const Called& called, const SecondOpinion& second)
      : session_(session),
        rebuilt_(rebuilt),
        called_(called),
        second_(second),
        context_(compare_context(session, rebuilt, dump::Direction::kForward)) {}

  size_t count() const {
    return std::min(called_.judged_outputs, std::max(called_.golden.outputs.size(), called_.device.outputs.size()));
  }

  Row row(size_t i, Notes& notes) const {
    Row row = make_row(rebuilt_, dump::Direction::kForward, i);
    const auto &golden = called_.golden.outputs, &device = called_.device.outputs;
    if (i >= golden.size() || i >= device.size()) {
      fail(
          session_, row,
          "golden gives " + util::count_of(golden.size(), "output") + ", device gives " + std::to_string(device.size()),
          "another number of outputs");
      tell_assessment(row);
      return row;
    }
    compare(i, golden[i], device[i], row);
    judge_beside_jumps(i, device[i], row);
    if (const auto note = called_.alignment.notes.find(i); note != called_.alignment.notes.end())
      add_note(row.message, note->second);
    if (const std::string unwritten = unwritten_rows(rebuilt_, device[i]); !unwritten.empty()) {
      add_note(row.message, unwritten);
      notes.push_back("output " + std::to_string(i) + ": " + unwritten);
    }
    tell_assessment(row);
    return row;
  }

  /// Of an argument that the call changed; `i`: behind the outputs.
  Row row(size_t i, const ChangedArgument& changed) const {
    Row row = make_row(rebuilt_, dump::Direction::kForward, i);
    metrics::CompareContext context = context_;
    context.second = [&](size_t k) { return second_.argument(changed, k); };
    metrics::compare_tensors(comparable(changed.golden), comparable(changed.device), context, row);
    row.message = "argument " + changed.name + " after the call" + (row.message.empty() ? "" : "; ") + row.message;
    tell_assessment(row);
    return row;
  }

 private:
  void judge_beside_jumps(size_t i, const Value& device, Row& row) const {
    if (!may_have_jumped(row)) return;
    const auto beside = output_beside_jumps(session_, rebuilt_, called_, i);
    if (!beside) return;
    row = make_row(rebuilt_, dump::Direction::kForward, i);
    compare(i, beside->golden, device, row);
    add_note(row.message, beside->note);
  }

  void compare(size_t i, const Value& golden, const Value& device, Row& row) const {
    const at::Tensor *g = tensor_of(golden), *d = tensor_of(device);
    if (g != nullptr && d != nullptr) return compare_tensors(i, *g, *d, row);
    if (is_nothing(golden) && is_nothing(device)) {
      row.message = "the call returned None here, nothing to compare";
      return;
    }
    const auto gb = as_builtin(golden), db = as_builtin(device);
    if (g == nullptr && d == nullptr && gb && db) return metrics::compare_builtins(*gb, *db, context_, row);
    fail(session_, row, "golden gives " + describe_value(golden) + ", device gives " + describe_value(device),
         "another kind of result");
  }

  void compare_tensors(size_t i, const at::Tensor& golden, const at::Tensor& device, Row& row) const {
    if (golden.is_meta() || device.is_meta()) {
      row.message = "a meta tensor carries no data";
      return;
    }
    const auto judged = called_.alignment.judged.find(i);
    const bool same_shape = golden.sizes() == device.sizes();
    const bool part = judged != called_.alignment.judged.end() && same_shape;
    // What of an output is compared; of the second opinion too.
    const auto compared = [&](at::Tensor t) {
      if (same_shape) t = written_part(rebuilt_, t);
      return part ? columns(t, judged->second) : t;
    };
    const at::Tensor g = comparable(golden), d = comparable(device);
    metrics::CompareContext context = context_;
    context.second = [&](size_t k) {
      std::optional<metrics::Second> second = second_.output(i, k);
      if (second && second->tensor.defined() && second->tensor.sizes() == device.sizes())
        second->tensor = compared(second->tensor);
      return second;
    };
    if (const auto rule = index_rule(i, d)) {
      compare_indices(*rule, compared(g), compared(d), context, row);
      return;
    }
    metrics::compare_tensors(compared(g), compared(d), context, row);
    if (part) row.shape = metrics::python_shape(device.sizes());
  }

  void compare_indices(const IndexOutput& rule, const at::Tensor& g, const at::Tensor& d,
                       const metrics::CompareContext& context, Row& row) const {
    metrics::CompareContext status_alone = context;  // what is a tie is not assessed
    status_alone.assess = false;
    judge_indices(rule, g, d, status_alone, row);
    if (context.assess) metrics::assess_indices(g, d, context, row);
  }

  void judge_indices(const IndexOutput& rule, const at::Tensor& g, const at::Tensor& d,
                     const metrics::CompareContext& context, Row& row) const {
    if (rule.stable) {
      metrics::compare_tensors(g, d, context, row);
      if (row.status == Status::kError)
        add_note(row.message, "the order among equal values is part of a stable sort, so no index is a tie");
      return;
    }
    const at::Tensor* values = rule.into_result ? called_.device.outputs[0].get_if<at::Tensor>() : indexed_input();
    if (rule.windows)
      metrics::compare_pool_indices(g, d, comparable(*values), *rule.windows, context, row);
    else
      metrics::compare_indices(g, d, comparable(*values), rule.dim, rule.distinct, context, row);
  }

  // How output `i` selects from the input by index; nullopt: it holds no indices, or they are judged as numbers.
  std::optional<IndexOutput> index_rule(size_t i, const at::Tensor& device) const {
    if (session_.options.profile() != config::Profile::kDocumented) return std::nullopt;
    if (!at::isIntegralType(device.scalar_type(), false)) return std::nullopt;
    if (!session_.standards.index_apis.has(config::ApiNames(rebuilt_.name())) || indexed_input() == nullptr)
      return std::nullopt;
    return index_output(rebuilt_.name(), rebuilt_.inputs, i, device.sizes());
  }
  const at::Tensor* indexed_input() const { return check::indexed_input(rebuilt_.name(), called_.device.arguments); }

  const Session& session_;
  const Rebuilt& rebuilt_;
  const Called& called_;
  const SecondOpinion& second_;
  const metrics::CompareContext context_;
};

}  // namespace

Judged judge_outputs(const Session& session, const Rebuilt& r, const Called& called, const SecondOpinion& second) {
  const OutputJudge outputs(session, r, called, second);
  Judged judged;
  for (size_t i = 0; i < outputs.count(); ++i) judged.rows.push_back(outputs.row(i, judged.notes));
  for (const ChangedArgument& changed : changed_arguments(session, r, called))
    judged.rows.push_back(outputs.row(judged.rows.size(), changed));
  if (judged.rows.empty())
    judged.rows.push_back(make_row(r, dump::Direction::kForward, 0, "the call returned nothing to compare"));
  judged.status = outcome::combine(judged.rows);
  if (judged.status == Status::kSkip) judged.notes.push_back(judged.rows[0].message);
  return judged;
}

}  // namespace msprobe::check
