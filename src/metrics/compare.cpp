#include "metrics/compare.h"

#include <algorithm>

#include "metrics/accumulate.h"
#include "metrics/assess.h"
#include "metrics/blocks.h"
#include "metrics/figures.h"
#include "metrics/integers.h"
#include "metrics/mindstudio.h"
#include "metrics/status.h"

namespace msprobe::metrics {
namespace {

using config::Algorithm;
using config::DtypeLimits;
using config::Profile;
using outcome::Figure;
using outcome::Row;
using outcome::Status;

/// Figures read memory: lazy conjugation and negation are carried out, sparse layouts filled up.
at::Tensor plain(const at::Tensor& tensor) {
  at::Tensor t = tensor;
  if (t.layout() != at::kStrided) t = t.to_dense();
  if (t._is_zerotensor()) t = t.clone();
  return t.resolve_conj().resolve_neg();
}

bool is_plain(const at::Tensor& t) {
  return t.layout() == at::kStrided && !t.is_conj() && !t.is_neg() && !t._is_zerotensor();
}

bool is_quantizing(const CompareContext& context) {
  return context.quantization_apis.has(context.api);
}

/// MindStudio counts uint8 with bool.
bool comparable(const Dtype& golden, const Dtype& device, Profile profile) {
  if (golden.kind == device.kind) return true;
  const auto boolish = [](const Dtype& dtype) { return dtype.kind == Kind::kBool || dtype.name == "uint8"; };
  return profile == Profile::kMindstudio && boolish(golden) && boolish(device);
}

/// What a pass over these elements shows, where that is not much.
std::string little_evidence(int64_t elements, bool constant, const std::string& value) {
  if (elements < 2) return elements_text(elements);
  return constant ? "all " + std::to_string(elements) + " elements are " + value : "";
}

/// Where nothing is assessed, the remark stands alone.
void add_evidence(Row& row, const std::string& little) {
  if (row.status != Status::kPass || little.empty()) return;
  remark(row, std::string(rule_of(outcome::Assessment::kUnproven).opening) + little);
}

void compare_integer_tensors(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                             Row& row) {
  const Dtype &b = dtype_of(golden.scalar_type()), &d = dtype_of(device.scalar_type());
  const PairView view(golden, device, PairView::Order::kMemory);
  const IntegerDifferences found = compare_integers(view, b, d);
  const bool mindstudio = context.profile == Profile::kMindstudio;
  const double rate = static_cast<double>(found.differ) / static_cast<double>(view.elements());
  if (d.kind == Kind::kInteger && is_quantizing(context)) {
    const double limit = context.standards.quantization_max_abs;
    row[Figure::kMaxAbs] = found.largest;
    if (!mindstudio) row[Figure::kBinaryErrorRate] = rate;
    const bool near = found.largest <= limit;
    decide(row, near ? Status::kPass : Status::kError,
           against(Figure::kMaxAbs, found.largest, near ? "<=" : ">", limit) + " (quantising API)");
  } else {
    row[Figure::kBinaryErrorRate] = rate;
    if (found.differ == 0) {
      decide(row, Status::kPass,
             std::string(outcome::kFigureColumns[static_cast<int>(Figure::kBinaryErrorRate)]) + " 0");
    } else {
      std::string text = against(Figure::kBinaryErrorRate, rate, ">", 0) + ": " + std::to_string(found.differ) +
                         " of " + elements_text(view.elements()) + " differ";
      if (d.kind == Kind::kInteger) text += ", by up to " + number_text(found.largest);
      decide(row, Status::kError, text);
    }
  }
  char scratch[8];
  const std::string little =
      little_evidence(view.elements(), found.constant, integer_text(b, view.golden(0, 1, scratch)));
  if (context.assess) return assess_integers(golden, device, context, little, row);
  add_evidence(row, little);
}

Subject subject_of(const Dtype& golden, const Dtype& device, const CompareContext& context) {
  Subject s{golden, device, context.profile, Algorithm::kBenchmark, std::nullopt, false, false};
  if (context.computed_in && !s.mindstudio() && device.kind == Kind::kFloat)
    s.computed_in = &dtype_of(*context.computed_in);
  const auto& limits = context.standards.ulp_share_limit;
  s.ulp = device.kind == Kind::kFloat && s.judged_as().storage != Storage::kDouble &&
          limits.find(s.judged_as().name) != limits.end();
  if (!s.mindstudio()) {
    s.algorithm = context.standards.algorithm(context.api);
    return s;
  }
  if (device.kind != Kind::kFloat || device.storage == Storage::kDouble) return s;
  s.filled = device.storage == Storage::kByteFloat ? Algorithm::kUlp
             : context.float8_inputs               ? Algorithm::kAbsolute
                                                   : Algorithm::kBenchmark;
  s.single = device.storage != Storage::kByteFloat && numpy_uses_single(golden, device);
  return s;
}

KernelLimits kernel_limits(const Subject& s, const config::Standards& standards) {
  const DtypeLimits& limits = standards.limits(s.judged_as().name, s.profile);
  KernelLimits out;
  out.format = s.judged_as().format;
  out.eps = limits.eps;
  out.hundredth = standards.hundredth_threshold;
  out.thousandth = standards.thousandth_threshold;
  out.ten_thousandth = standards.ten_thousandth_threshold;
  out.small_value = limits.small_value;
  out.small_value_atol = limits.small_value_atol;
  out.rtol = limits.rtol;
  const auto ulp = standards.ulp_share_limit.find(s.judged_as().name);
  out.ulp_limit = ulp == standards.ulp_share_limit.end() ? INFINITY : ulp->second;
  return out;
}

/// The type to which MindStudio raises the golden of a device's type; bfloat16 has an epsilon whatever the golden is.
bool raised_as_usual(const Dtype& golden, const Dtype& device) {
  switch (device.storage) {
    case Storage::kHalf:
      return golden.storage == Storage::kSingle;
    case Storage::kBfloat16:
      return true;
    default:
      return golden.storage == Storage::kDouble;
  }
}

NumpyLimits numpy_limits(const Subject& s, const config::Standards& standards) {
  const DtypeLimits& limits = standards.limits(s.device.name, Profile::kMindstudio);
  NumpyLimits out;
  out.round_to_half = s.device.storage == Storage::kHalf;
  // numpy.finfo of the golden's type, which is another one where the arguments were raised otherwise.
  out.eps = raised_as_usual(s.golden, s.device) ? limits.eps : std::ldexp(1.0, -s.golden.format.mantissa);
  out.hundredth = standards.hundredth_threshold;
  out.thousandth = standards.thousandth_threshold;
  out.ten_thousandth = standards.ten_thousandth_threshold;
  out.small_value = limits.small_value;
  out.small_value_atol = limits.small_value_atol_benchmark;
  out.absolute_atol = limits.small_value_atol;
  out.rtol = limits.rtol;
  out.clip = s.device.format.max_finite;
  return out;
}

/// The first golden element, for messages.
std::string first_text(const PairView& view, const Dtype& golden) {
  char raw[16];
  float floats[2];
  double doubles[2];
  const int parts = golden.kind == Kind::kComplex ? 2 : 1;
  const double* value = as_double(golden, view.golden(0, 1, raw), parts, floats, doubles);
  if (parts == 1) return number_text(value[0]);
  std::string text("(");
  text += number_text(value[0]);
  if (!std::signbit(value[1])) text += "+";
  return text + number_text(value[1]) + "j)";
}

/// Index of an element as Python writes it: "[0, 3]".
std::string position_text(int64_t index, at::IntArrayRef sizes) {
  std::vector<int64_t> at(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    at[i] = index % sizes[i];
    index /= sizes[i];
  }
  std::string text(1, '[');
  for (size_t i = 0; i < at.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(at[i]);
  }
  return text.append(1, ']');
}

/// Figures and, but for dropout, Status.
void compare_float_tensors(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                           Row& row) {
  const Dtype &b = dtype_of(golden.scalar_type()), &d = dtype_of(device.scalar_type());
  const Subject subject = subject_of(b, d, context);
  const PairView view(golden, device, PairView::Order::kMemory);
  const bool like_numpy = subject.mindstudio() && d.kind == Kind::kFloat && d.storage != Storage::kByteFloat &&
                          b.storage != Storage::kByteFloat;
  Partial sums;
  if (like_numpy) {
    const PairView row_major(golden, device, PairView::Order::kRowMajor);
    sums = accumulate_like_numpy(view, row_major, b, d, numpy_limits(subject, context.standards));
    sums.constant = is_constant(view, b);
  } else if (d.kind == Kind::kComplex) {
    sums = accumulate_complex(view, b, d, kernel_limits(subject, context.standards));
  } else {
    sums = accumulate_floats(view, b, d, kernel_limits(subject, context.standards));
  }
  finish(sums, subject, row);
  if (context.dropout) return;
  const std::optional<Figure> decided = judge_floats(sums, subject, context.standards, row);
  if (row.status == Status::kError && sums.disagree > 0 && d.kind == Kind::kFloat) {
    const PairView row_major(golden, device, PairView::Order::kRowMajor);
    if (const auto first = first_disagreement(row_major, b, d, subject.judged_as().format)) {
      remark(row, "first at " + position_text(first->index, device.sizes()) + ": golden " + number_text(first->golden) +
                      ", device " + number_text(first->device));
    }
  }
  const std::string little = little_evidence(view.elements(), sums.constant, sums.constant ? first_text(view, b) : "");
  if (!context.assess) return add_evidence(row, little);
  if (like_numpy) sums = accumulate_floats(view, b, d, kernel_limits(subject, context.standards));
  assess_floats({golden, device, view, subject, sums, decided, little}, context, row);
}

/// An error in kind: `what` the assessment calls it.
void fail(Row& row, std::string message, const char* what, const CompareContext& context) {
  decide(row, Status::kError, std::move(message));
  if (context.assess) assess_kind(what, row);
}

}  // namespace

void compare_tensors(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context, Row& row) {
  if (!golden.defined() || !device.defined()) {
    if (!golden.defined() && !device.defined()) return decide(row, Status::kSkip, "neither side gives a tensor");
    return fail(
        row,
        golden.defined() ? "the golden gives a tensor, the device none" : "the device gives a tensor, the golden none",
        "a tensor on one side alone", context);
  }
  if (!is_plain(golden) || !is_plain(device)) return compare_tensors(plain(golden), plain(device), context, row);
  const Dtype &b = dtype_of(golden.scalar_type()), &d = dtype_of(device.scalar_type());
  row.bench_dtype = b.torch_name();
  row.device_dtype = d.torch_name();
  row.shape = python_shape(device.sizes());
  if (golden.sizes() != device.sizes()) {
    return fail(row, "shape " + row.shape + ", the golden's is " + python_shape(golden.sizes()), "another shape",
                context);
  }
  if (!comparable(b, d, context.profile)) {
    return fail(row, row.device_dtype + " cannot be compared with the golden's " + row.bench_dtype,
                "another kind of dtype", context);
  }
  if (d.kind == Kind::kOther) {
    return decide(row, Status::kSkip, row.device_dtype + " holds no plain numbers, nothing is compared");
  }
  if (device.numel() == 0) return decide(row, Status::kSkip, "no elements to compare");
  const bool floating = d.kind == Kind::kFloat || d.kind == Kind::kComplex;
  if (floating) compare_float_tensors(golden, device, context, row);
  if (context.dropout) {
    const PairView view(golden, device, PairView::Order::kMemory);
    const Zeros zeros = count_zeros(view, b, d);
    const auto excess = judge_dropout(zeros.golden, zeros.device, view.elements(), context.standards, row);
    if (context.assess) assess_zeros(excess, row);
    return;
  }
  if (!floating) compare_integer_tensors(golden, device, context, row);
}

std::string python_shape(at::IntArrayRef sizes) {
  std::string text(1, '(');
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  text += sizes.size() == 1 ? ",)" : ")";
  return text;
}

}  // namespace msprobe::metrics
