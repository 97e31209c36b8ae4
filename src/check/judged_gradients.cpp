#include "check/judged_gradients.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>

#include "check/epsilon.h"
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
// direction says nothing. The rules stay; the Message says what they met.
std::string vanishing(const Rebuilt& r, const at::Tensor& golden, const at::Tensor& device) {
  const at::ScalarType dtype = c10::toRealValueType(device.scalar_type());
  if (!at::isFloatingType(dtype) || golden.numel() == 0 || golden.sizes() != device.sizes()) return "";
  double given = 0;
  for (const auto& v : r.output_gradients)
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

// g, d: what arrived at `leaf`; undefined: nothing.
void compare(const Rebuilt& r, const at::Tensor& g, const at::Tensor& d, const at::Tensor& leaf,
             const metrics::CompareContext& context, Row& row) {
  if (!g.defined() && !d.defined()) {
    row.message = leaf.requires_grad() ? "no gradient reached this input" : "this input does not require a gradient";
  } else if (!g.defined() || !d.defined()) {
    row.status = Status::kError;
    row.message = g.defined() ? "a gradient reached this input only on the golden side"
                              : "a gradient reached this input only on the device side";
  } else {
    const at::Tensor golden = comparable(g), device = comparable(d);
    metrics::compare_tensors(golden, device, context, row);
    if (row.status == Status::kError) add_note(row.message, vanishing(r, golden, device));
  }
}

}  // namespace

Judged judge_gradients(const Session& session, const Rebuilt& r, const Called& called) {
  const Gradients& gradients = called.gradients;
  Judged judged;
  if (!gradients.not_run.empty()) {
    judged.rows.push_back(make_row(r, dump::Direction::kBackward, 0, gradients.not_run));
    judged.notes.push_back(gradients.not_run);
    return judged;
  }
  const auto context = compare_context(session, r, dump::Direction::kBackward);
  for (size_t i = 0; i < gradients.device.size(); ++i) {
    Row row = make_row(r, dump::Direction::kBackward, i);
    compare(r, gradients.golden[i], gradients.device[i], called.device.leaves[i], context, row);
    judged.rows.push_back(std::move(row));
  }
  if (judged.rows.empty())
    judged.rows.push_back(make_row(r, dump::Direction::kBackward, 0, "no tensor among the arguments"));
  judged.status = outcome::combine(judged.rows);
  if (judged.status == Status::kSkip) judged.notes.push_back("backward: " + judged.rows[0].message);
  return judged;
}

}  // namespace msprobe::check
