#include "run/judge.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "metrics/compare.h"
#include "ops/skip.h"
#include "run/error_text.h"
#include "run/index_outputs.h"
#include "run/outputs.h"

namespace msprobe::run {
namespace {

using inputs::Value;
using metrics::Row;
using metrics::Status;

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

void compare_output(const Replay& r, const Value& golden, const Value& device, const metrics::CompareContext& context,
                    Row& row) {
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
      gc = written_part(r, gc);
      dc = written_part(r, dc);
    }
    const bool indices = r.session.settings.profile == config::Profile::kDocumented &&
                         r.session.standards.index_apis.count(r.name.last()) != 0 &&
                         at::isIntegralType(dc.scalar_type(), false);
    if (indices && !r.inputs.args.empty() && r.inputs.args[0].is_tensor()) {
      if (auto rule = index_output(r.name.last(), r.inputs)) {
        at::Tensor values = comparable(r.device.arguments.args[0].get<at::Tensor>());
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
      row.message = "golden gives " + std::to_string(r.golden.outputs.size()) + " outputs, device gives " +
                    std::to_string(r.device.outputs.size());
    } else {
      compare_output(r, r.golden.outputs[i], r.device.outputs[i], context, row);
      if (const std::string unwritten = unwritten_rows(r, r.device.outputs[i]); !unwritten.empty()) {
        add_note(row.message, unwritten);
        r.note("output " + std::to_string(i) + ": " + unwritten);
      }
    }
    rows.push_back(std::move(row));
  }
  r.outcome.forward = rows.empty() ? Status::kSkip : metrics::combine(rows);
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
        metrics::compare_tensors(comparable(g), comparable(d), context, row);
      }
      rows.push_back(std::move(row));
    }
    if (rows.empty()) rows.push_back(skip_row(r.name.full, kBackward, "no tensor among the arguments"));
  }
  r.outcome.backward = metrics::combine(rows);
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

}  // namespace msprobe::run
