#include "metrics/assess.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "metrics/as_good.h"
#include "metrics/errors.h"
#include "metrics/evidence.h"
#include "metrics/integers.h"
#include "metrics/status.h"

namespace msprobe::metrics {
namespace {

using outcome::Assessed;
using outcome::Assessment;
using outcome::Row;
using outcome::Status;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void give(Assessed& assessed, Assessment word, std::string_view rest = "") {
  assessed.word = word;
  assessed.clause = std::string(outcome::rule_of(word).opening).append(rest);
}

bool passed(const Row& row) {
  return row.status == Status::kPass;
}

/// "root mean square error 41 times that of the CPU in float32 arithmetic".
std::string excess_text(const Excess& excess, const Measure& device, int64_t elements, const std::string& yardstick) {
  if (excess.figure.starts_with("elements that are 0"))
    return fmt::format("{} of {} are 0 where the golden is not", device.errors.zeros, elements_text(elements));
  if (excess.figure.starts_with("elements"))
    return fmt::format("{} of {} inf or nan on one side alone", device.errors.special, elements_text(elements));
  if (std::isinf(excess.times)) return fmt::format("{} where {} has none", excess.figure, yardstick);
  return fmt::format("{} {:.3g} times that of {}", excess.figure, excess.times, yardstick);
}

/// A second opinion beside the device, with what it says.
struct Opinion {
  Second second;
  Measure measure;
  Excess excess;  ///< of the device
};

class FloatAssessor {
 public:
  FloatAssessor(const FloatPair& pair, const CompareContext& context, Row& row)
      : pair_(pair),
        context_(context),
        limits_(context.standards.assessment),
        format_(context.computed_in ? dtype_of(*context.computed_in).format : pair.subject.device.format),
        ulp_(std::ldexp(1.0, -format_.mantissa)),
        row_(row) {
    const Partial& sums = pair.sums;
    const double n = static_cast<double>(sums.elements);
    const double rms =
        std::ldexp(std::sqrt(std::max(0.0, sums.golden_square.mantissa()) / n), sums.golden_square.exponent() / 2);
    golden_rms_ = rms;
    size_ = {sums.max_golden, rms * limits_.negligible};
  }

  void assess() {
    if (passed(row_) && obviously_good()) return conclude_pass();
    measured_ = measure(pair_.view, pair_.subject.golden, pair_.subject.device, format_, size_);
    row_.assessed.device = measured_.device.errors;
    row_.assessed.rounded = measured_.rounded.errors;
    by_rounded_ = excess_beside(measured_.rounded, measured_.device.errors.special == 0);
    if (as_good(by_rounded_)) {
      if (passed(row_)) return conclude_pass();
      give(row_.assessed, Assessment::kRounding, rounding_text());
      return look_closer(measured_.rounded);
    }
    judge_further();
  }

 private:
  /// Within one unit in the last place everywhere: no need to measure. A float64 device has no such figure.
  bool obviously_good() const {
    const Partial& sums = pair_.sums;
    if (sums.differ == 0) return true;
    return pair_.subject.device.kind == Kind::kFloat && pair_.subject.device.storage != Storage::kDouble &&
           sums.disagree == 0 && sums.max_ulp <= 1;
  }

  void conclude_pass() {
    if (pair_.little.empty())
      give(row_.assessed, Assessment::kFine);
    else
      give(row_.assessed, Assessment::kUnproven, pair_.little);
  }

  Excess excess_beside(const Measure& yardstick, bool alike) const {
    return excess(measured_.device, yardstick, {ulp_, golden_rms_, size_.floor, pair_.view.elements()}, alike, limits_);
  }

  std::string rounding_text() const {
    const at::ScalarType type = context_.computed_in.value_or(pair_.device.scalar_type());
    std::string text = dtype_of(type).torch_name() + " alone";
    if (!pair_.decided) return text;
    const at::Tensor rounded = pair_.golden.to(type).to(pair_.device.scalar_type());
    CompareContext figures_alone = context_;
    figures_alone.assess = false;
    Row row;
    compare_tensors(pair_.golden, rounded, figures_alone, row);
    const auto& value = row[*pair_.decided];
    const std::string_view name = outcome::kFigureColumns[static_cast<size_t>(*pair_.decided)];
    if (!value) return text;
    return text + fmt::format(": the golden rounded gives {} {}{}", name, number_text(*value),
                              !passed(row) && row.message.starts_with(name) ? " too" : "");
  }

  /// nullopt: it cannot be held against this output.
  std::optional<Opinion> opinion_of(Second second) {
    Opinion o;
    o.second = std::move(second);
    if (o.second.is_device) {
      o.measure = measured_.device;
      if (!is_bounded(o)) return std::nullopt;
      o.excess = excess_beside(o.measure, true);
      return o;
    }
    at::Tensor s = o.second.tensor;
    if (!s.defined() || s.sizes() != pair_.golden.sizes() ||
        dtype_of(s.scalar_type()).kind != pair_.subject.device.kind) {
      lacking_ = s.defined() ? "the CPU gives another shape or dtype" : o.second.lacking;
      return std::nullopt;
    }
    if (o.second.scale == 1)
      s = s.to(context_.computed_in.value_or(pair_.device.scalar_type())).to(pair_.device.scalar_type());
    const Dtype& dtype = dtype_of(s.scalar_type());
    const PairView view(pair_.golden, s, PairView::Order::kMemory);
    o.measure = measure(view, pair_.subject.golden, dtype, dtype.format, size_).device;
    for (double* error : {&o.measure.errors.rms, &o.measure.errors.max_relative, &o.measure.errors.mean_relative,
                          &o.measure.errors.max_abs})
      *error *= o.second.scale;
    if (!is_bounded(o)) return std::nullopt;
    o.excess = excess_beside(o.measure, has_its_specials(s));
    return o;
  }

  /// A kernel that adds in a half type is a witness while it is one of the function at all.
  bool is_bounded(const Opinion& o) {
    if (!o.second.reduced || o.measure.errors.rms <= limits_.own_arithmetic * golden_rms_) return true;
    lacking_ = "the CPU's " + o.second.arithmetic + " is far off too";
    return false;
  }

  /// The first opinion that the device is as good as, else the one that it is nearest to; nullopt: there is none.
  std::optional<Opinion> second_opinion() {
    std::optional<Opinion> nearest;
    for (size_t k = 0; context_.second; ++k) {
      std::optional<Second> second = context_.second(k);
      if (!second) break;
      std::optional<Opinion> o = opinion_of(std::move(*second));
      if (o && !first_) first_ = o->measure;
      if (o && (!nearest || o->excess.quotient < nearest->excess.quotient)) nearest = std::move(o);
      if (nearest && as_good(nearest->excess)) break;
    }
    return nearest;
  }

  /// Are inf and nan where the second opinion has them?
  bool has_its_specials(const at::Tensor& second) const {
    if (measured_.device.errors.special == 0) return true;
    const at::Tensor s = second.to(pair_.golden.scalar_type());
    const PairView view(s, pair_.device, PairView::Order::kMemory);
    return measure(view, pair_.subject.golden, pair_.subject.device, format_, size_).device.errors.special == 0;
  }

  /// A golden as small as rounding errors is nothing but theirs where they hide it from the CPU too; where the CPU has
  /// its digits, it is a small number and judged like any other.
  std::string cancellation() const {
    if (!context_.cancels || (first_ && first_->errors.rms < limits_.all_but_zero * golden_rms_)) return "";
    return context_.cancels(pair_.golden, pair_.device);
  }

  /// What makes both sides nothing but rounding errors comes first: beside it, no yardstick means much.
  void judge_further() {
    const std::optional<Opinion> opinion = second_opinion();
    if (const std::string text = cancellation(); !text.empty()) {
      if (passed(row_)) return give(row_.assessed, Assessment::kUnproven, "the golden is all but 0" + text);
      give(row_.assessed, Assessment::kCancellation, text);
      return look_closer(measured_.rounded);
    }
    if (opinion) {
      row_.assessed.second = opinion->measure.errors;
      if (as_good(opinion->excess)) {
        if (passed(row_)) return conclude_pass();
        give(row_.assessed, Assessment::kArithmetic, opinion->second.arithmetic);
        return look_closer(opinion->measure);
      }
    }
    if (!opinion && passed(row_)) {
      return give(row_.assessed, Assessment::kUnproven,
                  "no yardstick beyond the golden rounded" + (lacking_.empty() ? "" : ": " + lacking_));
    }
    be_suspect(opinion);
  }

  void be_suspect(const std::optional<Opinion>& opinion) {
    const bool by_second = opinion && opinion->excess.quotient <= by_rounded_.quotient;
    const Excess& excess = by_second ? opinion->excess : by_rounded_;
    row_.assessed.severity = excess.quotient;
    give(row_.assessed, Assessment::kSuspect,
         excess_text(excess, measured_.device, pair_.view.elements(),
                     by_second ? "the CPU in " + opinion->second.arithmetic : std::string("the golden rounded")));
    look_closer(by_second ? opinion->measure : measured_.rounded);
  }

  void look_closer(const Measure& yardstick) {
    // A normal error of the yardstick lies within a few of its root mean squares.
    constexpr double kTimes = 4;
    row_.assessed.evidence = find_evidence(pair_.golden, pair_.device, format_, kTimes * yardstick.errors.rms);
  }

  const FloatPair& pair_;
  const CompareContext& context_;
  const config::AssessmentLimits& limits_;
  const FloatFormat format_;
  const double ulp_;
  Row& row_;
  double golden_rms_ = 0;
  std::optional<Measure> first_;  ///< of the first opinion that there is: the most precise one
  GoldenSize size_;
  Measured measured_;
  Excess by_rounded_;
  std::string lacking_;
};

}  // namespace

void assess_floats(const FloatPair& pair, const CompareContext& context, Row& row) {
  FloatAssessor(pair, context, row).assess();
}

void assess_integers(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                     const std::string& little, Row& row) {
  if (passed(row)) return give(row.assessed, little.empty() ? Assessment::kFine : Assessment::kUnproven, little);
  const auto differences = [&](const at::Tensor& t) {
    const PairView view(golden, t, PairView::Order::kMemory);
    return compare_integers(view, dtype_of(golden.scalar_type()), dtype_of(t.scalar_type()));
  };
  const IntegerDifferences found = differences(device);
  constexpr double kAnyDifference = 0.5;
  row.assessed.evidence =
      find_evidence(golden.to(at::kDouble), device.to(at::kDouble), dtype_of(at::kDouble).format, kAnyDifference);
  const config::AssessmentLimits& limits = context.standards.assessment;
  const double n = static_cast<double>(device.numel()), few = 1 + limits.scatter / std::sqrt(n);
  IntegerDifferences most;
  std::string beside;
  for (size_t k = 0; context.second; ++k) {
    const std::optional<Second> second = context.second(k);
    if (!second) break;
    if (second->is_device) return give(row.assessed, Assessment::kArithmetic, second->arithmetic);
    const at::Tensor& s = second->tensor;
    if (!s.defined() || s.sizes() != golden.sizes() || s.scalar_type() != device.scalar_type()) continue;
    const IntegerDifferences its = differences(s);
    if (static_cast<double>(found.differ) <= limits.rms * few * static_cast<double>(its.differ) &&
        found.largest <= limits.max_abs * its.largest)
      return give(row.assessed, Assessment::kArithmetic, second->arithmetic);
    if (beside.empty() || its.differ > most.differ) {
      most = its;
      beside = fmt::format(", of the CPU in {} {}", second->arithmetic, its.differ);
    }
  }
  row.assessed.severity =
      static_cast<double>(found.differ) / std::max(limits.rms * static_cast<double>(most.differ), limits.zeros * n);
  give(row.assessed, Assessment::kSuspect,
       fmt::format("{} of {} differ{}", found.differ, elements_text(device.numel()), beside));
}

void assess_indices(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context, Row& row) {
  if (row.status == Status::kSkip) return;
  if (golden.sizes() != device.sizes()) return assess_kind("another shape", row);
  if (dtype_of(golden.scalar_type()).kind != Kind::kInteger) return assess_kind("another kind of dtype", row);
  assess_integers(golden, device, context, "", row);
}

void assess_kind(const std::string& what, Row& row) {
  row.assessed.severity = kInfinity;
  give(row.assessed, Assessment::kSuspect, what);
}

void assess_zeros(std::optional<double> excess, Row& row) {
  if (!excess) return give(row.assessed, Assessment::kUnproven, "dropout of few elements");
  if (passed(row)) return give(row.assessed, Assessment::kFine);
  row.assessed.severity = *excess;
  give(row.assessed, Assessment::kSuspect, fmt::format("number of zeros {:.3g} times its limit", *excess));
}

}  // namespace msprobe::metrics
