#include "check/judged_gradients.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "check/epsilon.h"
#include "check/jumps.h"
#include "check/outputs.h"
#include "metrics/compare.h"

namespace msprobe::check {
namespace {

using outcome::Row;
using outcome::Status;

double largest(const at::Tensor& t) {
  return t.numel() == 0 ? 0 : at::abs(t.to(t.is_complex() ? at::kComplexDouble : at::kDouble)).max().item<double>();
}

// Gradients that cancel (softmax followed by sum, a norm's input) leave rounding errors alone on both sides, whose
// direction says nothing: the golden is below the rounding error of what it cancels from. Errors that are larger than
// rounding could make them are none of that. The rest of a clause (outcome/assessment.h); empty: it is no such
// gradient.
std::string vanishing(const Session& session, const Rebuilt& r, const at::Tensor& golden, const at::Tensor& device) {
  const at::ScalarType dtype = c10::toRealValueType(device.scalar_type());
  if (!at::isFloatingType(dtype) || golden.numel() == 0 || golden.sizes() != device.sizes()) return "";
  double given = 0, elements = 0;
  for (const auto& v : r.output_gradients) {
    const auto* t = v.get_if<at::Tensor>();
    if (t == nullptr || !t->defined()) continue;
    given = std::max(given, largest(*t));
    elements += static_cast<double>(t->numel());
  }
  const double golden_largest = largest(golden), rounding = epsilon_of(dtype) * given;
  if (!(golden_largest <= rounding)) return "";
  const double error = at::abs(golden.to(at::kComplexDouble) - device.to(at::kComplexDouble)).max().item<double>();
  const bool assessed = session.options.assess;
  if (assessed && !(error <= session.standards.assessment.cancellation * rounding * std::sqrt(elements))) return "";
  char text[200];
  std::snprintf(text, sizeof text, ": at most %.3g for output gradients up to %.3g; largest absolute error %.3g",
                golden_largest, given, error);
  return text;
}

// The gradient of an argument that autocast rounded is one of that dtype, widened again on its way to the argument.
std::optional<at::ScalarType> left_autocast(const Side& device, size_t leaf, const at::Tensor& gradient) {
  if (!gradient.defined() || gradient.scalar_type() != at::kFloat || leaf >= device.leaf_places.size())
    return std::nullopt;
  if (device.rounded.tensors.count(device.leaf_places[leaf]) == 0) return std::nullopt;
  return device.rounded.dtype;
}

// g, d: what arrived at `leaf`; undefined: nothing.
void compare(const Session& session, const at::Tensor& g, const at::Tensor& d, const at::Tensor& leaf,
             const metrics::CompareContext& context, Row& row) {
  if (!g.defined() && !d.defined()) {
    row.message = leaf.requires_grad() ? "no gradient reached this input" : "this input does not require a gradient";
  } else if (!g.defined() || !d.defined()) {
    fail(session, row,
         g.defined() ? "a gradient reached this input only on the golden side"
                     : "a gradient reached this input only on the device side",
         "a gradient on one side alone");
  } else {
    const at::Tensor golden = comparable(g), device = comparable(d);
    metrics::compare_tensors(golden, device, context, row);
    if (!context.assess && row.status == Status::kError)
      if (const std::string text = context.cancels(golden, device); !text.empty())
        add_note(row.message, std::string(rule_of(outcome::Assessment::kCancellation).opening) + text);
  }
}

}  // namespace

Judged judge_gradients(const Session& session, const Rebuilt& r, const Called& called, const SecondOpinion& second) {
  const Gradients& gradients = called.gradients;
  Judged judged;
  if (!gradients.not_run.empty()) {
    judged.rows.push_back(make_row(r, dump::Direction::kBackward, 0, gradients.not_run));
    judged.notes.push_back(gradients.not_run);
    return judged;
  }
  auto context = compare_context(session, r, dump::Direction::kBackward);
  context.cancels = [&](const at::Tensor& golden, const at::Tensor& device) {
    return vanishing(session, r, golden, device);
  };
  for (size_t i = 0; i < gradients.device.size(); ++i) {
    Row row = make_row(r, dump::Direction::kBackward, i);
    context.computed_in = left_autocast(called.device, i, gradients.device[i]);
    context.second = [&](size_t k) { return second.gradient(i, k); };
    const auto judge = [&](const at::Tensor& golden) {
      compare(session, golden, gradients.device[i], called.device.leaves[i], context, row);
    };
    judge(gradients.golden[i]);
    if (may_have_jumped(row)) {
      if (const auto beside = gradient_beside_jumps(session, r, called, i)) {
        row = make_row(r, dump::Direction::kBackward, i);
        judge(beside->golden);
        add_note(row.message, beside->note);
      }
    }
    if (context.computed_in)
      add_note(row.message,
               "limits of " + inputs::dtype_name(*context.computed_in) + ": a gradient that left autocast");
    tell_assessment(row);
    judged.rows.push_back(std::move(row));
  }
  if (judged.rows.empty())
    judged.rows.push_back(make_row(r, dump::Direction::kBackward, 0, "no tensor among the arguments"));
  judged.status = outcome::combine(judged.rows);
  if (judged.status == Status::kSkip) judged.notes.push_back("backward: " + judged.rows[0].message);
  return judged;
}

}  // namespace msprobe::check
