#include "check/judge.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "check/epsilon.h"
#include "check/error_text.h"
#include "check/index_outputs.h"
#include "check/outputs.h"
#include "metrics/compare.h"
#include "ops/listed_names.h"
#include "ops/skip.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Row;
using outcome::Status;

constexpr const char* kForward = ".forward.";
constexpr const char* kBackward = ".backward.";

Row skip_row(const std::string& api, const char* direction, const std::string& reason) {
  Row row;
  row.name = api + direction + "output.0";
  row.message = reason;
  return row;
}

metrics::CompareContext compare_context(const Replay& r, bool backward) {
  return {r.session.settings, r.session.standards,     r.name.type,    r.name.name,
          backward,           ops::is_dropout(r.name), r.float8_inputs};
}

// MindStudio judges dropout but writes no details row for it; its api_precision_compare expects none.
bool rows_are_written(const Replay& r) {
  return r.session.settings.profile == config::Profile::kDocumented || !ops::is_dropout(r.name);
}

void append(Replay& r, std::vector<Row>& rows) {
  for (auto& row : rows) r.outcome.rows.push_back(std::move(row));
}

// What an operator leaves unwritten holds whatever was in memory.
at::Tensor written_part(const Replay& r, const at::Tensor& t) {
  return r.written && t.dim() > 0 && t.size(0) > r.written->rows ? t.narrow(0, 0, r.written->rows) : t;
}

std::string unwritten_rows(const Replay& r, const Value& output) {
  const auto* t = output.get_if<at::Tensor>();
  if (!r.written || t == nullptr || !t->defined() || t->dim() == 0 || t->size(0) <= r.written->rows) return "";
  return std::to_string(t->size(0) - r.written->rows) + " of " + std::to_string(t->size(0)) + " rows lie beyond " +
         r.written->argument + " and are not judged";
}

// Columns of `mask`, one below the other.
at::Tensor columns(const at::Tensor& t, const at::Tensor& mask) {
  return t.movedim(-1, -2).index({mask});
}

// How output `i` selects from the input by index; nullopt: it holds no indices, or they are judged as numbers.
std::optional<IndexOutput> index_rule(const Replay& r, size_t i, const at::Tensor& device) {
  if (r.session.settings.profile != config::Profile::kDocumented) return std::nullopt;
  if (!at::isIntegralType(device.scalar_type(), false)) return std::nullopt;
  const auto listed = ops::find_listed(r.session.standards.index_apis, ops::listed_names(r.name));
  if (listed == r.session.standards.index_apis.end() || indexed_input(r.device.arguments) == nullptr)
    return std::nullopt;
  const std::string_view api = *listed;
  return index_output(api.substr(api.rfind('.') + 1), r.inputs, i);
}

void compare_pair(const Replay& r, size_t i, const at::Tensor& golden, const at::Tensor& device,
                  const metrics::CompareContext& context, Row& row) {
  if (golden.is_meta() || device.is_meta()) {
    row.message = "a meta tensor carries no data";
    return;
  }
  at::Tensor g = comparable(golden), d = comparable(device);
  const bool same_shape = g.sizes() == d.sizes();
  if (same_shape) {
    g = written_part(r, g);
    d = written_part(r, d);
  }
  if (const auto rule = index_rule(r, i, d)) {
    const at::Tensor* values =
        rule->into_result ? r.device.outputs[0].get_if<at::Tensor>() : indexed_input(r.device.arguments);
    metrics::compare_indices(g, d, comparable(*values), rule->dim, rule->distinct, context, row);
    return;
  }
  const auto judged = r.alignment.judged.find(i);
  const bool part = judged != r.alignment.judged.end() && same_shape;
  if (part) g = columns(g, judged->second), d = columns(d, judged->second);
  metrics::compare_tensors(g, d, context, row);
  if (part) row.shape = metrics::python_shape(device.sizes());
}

void compare_output(const Replay& r, size_t i, const metrics::CompareContext& context, Row& row) {
  const Value &golden = r.golden.outputs[i], &device = r.device.outputs[i];
  const auto *g = golden.get_if<at::Tensor>(), *d = device.get_if<at::Tensor>();
  if (g != nullptr && !g->defined()) g = nullptr;
  if (d != nullptr && !d->defined()) d = nullptr;
  bool no_golden = g == nullptr && (golden.is_none() || golden.is_tensor());
  bool no_device = d == nullptr && (device.is_none() || device.is_tensor());
  if (g != nullptr && d != nullptr) {
    compare_pair(r, i, *g, *d, context, row);
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

double largest(const at::Tensor& t) {
  return t.numel() == 0 ? 0 : at::abs(t.to(t.is_complex() ? at::kComplexDouble : at::kDouble)).max().item<double>();
}

// Gradients that cancel (softmax followed by sum, a norm's input) leave rounding errors alone on both sides, whose
// direction says nothing. The rules stay; the Message says what they met.
std::string vanishing(const Replay& r, const at::Tensor& golden, const at::Tensor& device) {
  const at::ScalarType dtype = c10::toRealValueType(device.scalar_type());
  if (!at::isFloatingType(dtype) || golden.numel() == 0 || golden.sizes() != device.sizes()) return "";
  double given = 0;
  for (const Value& v : r.output_gradients)
    if (const auto* t = v.get_if<at::Tensor>(); t != nullptr && t->defined()) given = std::max(given, largest(*t));
  const double golden_largest = largest(golden);
  if (!(golden_largest <= epsilon_of(dtype) * given)) return "";
  const double error = at::abs(golden.to(at::kComplexDouble) - device.to(at::kComplexDouble)).max().item<double>();
  char text[200];
  std::snprintf(
      text, sizeof text,
      "the golden is all but 0 here: at most %.3g for output gradients up to %.3g; largest absolute error %.3g",
      golden_largest, given, error);
  return text;
}

}  // namespace

void compare_forward(Replay& r) {
  std::vector<Row> rows;
  auto context = compare_context(r, false);
  size_t n = std::min(r.judged_outputs, std::max(r.golden.outputs.size(), r.device.outputs.size()));
  for (size_t i = 0; i < n; ++i) {
    Row row;
    row.name = r.name.full + kForward + "output." + std::to_string(i);
    if (i >= r.golden.outputs.size() || i >= r.device.outputs.size()) {
      row.status = Status::kError;
      row.message = "golden gives " + util::count_of(r.golden.outputs.size(), "output") + ", device gives " +
                    std::to_string(r.device.outputs.size());
    } else {
      compare_output(r, i, context, row);
      if (const auto note = r.alignment.notes.find(i); note != r.alignment.notes.end())
        add_note(row.message, note->second);
      if (const std::string unwritten = unwritten_rows(r, r.device.outputs[i]); !unwritten.empty()) {
        add_note(row.message, unwritten);
        r.note("output " + std::to_string(i) + ": " + unwritten);
      }
    }
    rows.push_back(std::move(row));
  }
  r.outcome.forward = rows.empty() ? Status::kSkip : outcome::combine(rows);
  if (rows.empty()) rows.push_back(skip_row(r.name.full, kForward, "the call returned nothing to compare"));
  if (r.outcome.forward == Status::kSkip) r.note(rows[0].message);
  if (rows_are_written(r)) append(r, rows);
}

void compare_backward(Replay& r) {
  if (!r.record.backward) return;
  std::vector<Row> rows;
  if (!r.ran_backward) {
    rows.push_back(skip_row(r.name.full, kBackward, r.backward_reason));
    r.note(r.backward_reason);
  } else {
    auto context = compare_context(r, true);
    for (size_t i = 0; i < r.device.gradients.size(); ++i) {
      Row row;
      row.name = r.name.full + kBackward + "output." + std::to_string(i);
      const auto &g = r.golden.gradients[i], &d = r.device.gradients[i];
      if (!g.defined() && !d.defined()) {
        row.message = r.device.leaves[i].requires_grad() ? "no gradient reached this input"
                                                         : "this input does not require a gradient";
      } else if (!g.defined() || !d.defined()) {
        row.status = Status::kError;
        row.message =
            std::string("a gradient reached this input only on the ") + (g.defined() ? "golden" : "device") + " side";
      } else {
        const at::Tensor golden = comparable(g), device = comparable(d);
        metrics::compare_tensors(golden, device, context, row);
        if (row.status == Status::kError) add_note(row.message, vanishing(r, golden, device));
      }
      rows.push_back(std::move(row));
    }
    if (rows.empty()) rows.push_back(skip_row(r.name.full, kBackward, "no tensor among the arguments"));
  }
  r.outcome.backward = outcome::combine(rows);
  if (r.outcome.backward == Status::kSkip && r.ran_backward) r.note("backward: " + rows[0].message);
  if (rows_are_written(r)) append(r, rows);
}

void compare_with_record(Replay& r) {
  if (!r.session.index.has_real_data() || r.compared_argument || ops::is_dropout(r.name)) return;
  size_t n = std::min({r.recorded.size(), r.device.outputs.size(), r.judged_outputs});
  for (size_t i = 0; i < n; ++i) {
    const auto* t = r.device.outputs[i].get_if<at::Tensor>();
    if (t == nullptr || !t->defined()) continue;
    try {
      at::Tensor recorded = r.recorded_tensor(i);
      if (!recorded.defined()) continue;
      at::Tensor replayed = comparable(*t);
      if (replayed.sizes() == recorded.sizes()) {
        replayed = written_part(r, replayed);
        recorded = written_part(r, recorded);
      }
      if (replayed.scalar_type() == recorded.scalar_type() && replayed.sizes() == recorded.sizes() &&
          !at::isFloatingType(recorded.scalar_type()) && !at::isComplexType(recorded.scalar_type())) {
        int64_t differing = at::ne(replayed, recorded).sum().item<int64_t>();
        r.outcome.recorded_ulp = std::max(r.outcome.recorded_ulp.value_or(0), static_cast<double>(differing));
        if (differing > 0)
          r.note("recorded output " + std::to_string(i) + " differs from the replay in " + std::to_string(differing) +
                 " of " + std::to_string(recorded.numel()) + " elements");
        continue;
      }
      auto ulp = metrics::max_ulp_distance(replayed, recorded);
      double distance = ulp.value_or(std::numeric_limits<double>::infinity());
      r.outcome.recorded_ulp = std::max(r.outcome.recorded_ulp.value_or(0), distance);
      if (!ulp) {
        r.note("recorded output " + std::to_string(i) + " has another dtype or shape than the replay's");
      } else if (*ulp > 0) {
        char text[64];
        std::snprintf(text, sizeof text, "%.6g", *ulp);
        r.note("recorded output " + std::to_string(i) + " differs from the replay by up to " + text + " ULP");
      }
    } catch (const std::exception&) {
      r.note("recorded output " + std::to_string(i) + ": " + describe_error(std::current_exception()).text);
    }
  }
}

}  // namespace msprobe::check
