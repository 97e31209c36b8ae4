#include "metrics/status.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace msprobe::metrics {
namespace {

using config::Standards;
using outcome::Figure;
using outcome::Row;
using outcome::Status;

std::string_view column(Figure figure) {
  return outcome::kFigureColumns[static_cast<int>(figure)];
}

struct Share {
  Figure figure;
  double limit;
  double value;
  bool reached() const { return value > 1 - limit; }
  std::string text() const { return against(figure, value, reached() ? ">" : "<=", 1 - limit); }
};

enum class Rule { kHalf, kSingle, kByte };

/// Which shares judge a dtype: those of float16 and bfloat16, or those of float32 and float64.
Rule share_rule(const Dtype& device) {
  if (device.storage == Storage::kByteFloat) return Rule::kByte;
  return device.storage == Storage::kHalf || device.storage == Storage::kBfloat16 ? Rule::kHalf : Rule::kSingle;
}

void blank(Row& row, std::initializer_list<Figure> figures) {
  for (Figure figure : figures) row[figure].reset();
}

Share share(Figure figure, double limit, int64_t part, int64_t whole) {
  return Share{figure, limit, static_cast<double>(part) / static_cast<double>(whole)};
}

/// numpy compares a float32 with the limit rounded to float32.
bool below(double value, double limit, bool single) {
  return single ? static_cast<float>(value) < static_cast<float>(limit) : value < limit;
}

/// What MindStudio leaves blank behind the rule that decides there, whatever decides here.
void blank_like_mindstudio(bool cosine_reached, const Partial& sums, const Subject& subject, const Standards& s,
                           Row& row) {
  if (!cosine_reached)
    return blank(row, {Figure::kMaxAbs, Figure::kHundredth, Figure::kThousandth, Figure::kTenThousandth});
  if (below(*row[Figure::kMaxAbs], s.max_abs_threshold, subject.single))
    return blank(row, {Figure::kHundredth, Figure::kThousandth, Figure::kTenThousandth});
  if (share_rule(subject.device) != Rule::kHalf) return blank(row, {Figure::kHundredth});
  blank(row, {Figure::kTenThousandth});
  if (!share(Figure::kHundredth, s.hundredth_threshold, sums.hundredth, sums.elements).reached())
    blank(row, {Figure::kThousandth});
}

/// Error by the first, warning by the second.
Figure decide_by(const Share& first, const Share& second, Row& row) {
  if (!first.reached()) {
    decide(row, Status::kError, first.text());
    return first.figure;
  }
  decide(row, second.reached() ? Status::kPass : Status::kWarning, second.text());
  return second.figure;
}

/// Rule 5, on shares that are computed whether or not the row shows them. Returns the figure that decided.
std::optional<Figure> judge_shares(const Partial& sums, const Subject& subject, const Standards& s, Row& row) {
  // What is the same inf or nan on both sides is beside the point; MindStudio counts it with what is near.
  const auto of_all = [&](Figure figure, double limit, int64_t part) {
    if (subject.mindstudio()) return share(figure, limit, part + sums.numpy_agree, sums.elements);
    return share(figure, limit, part - sums.agree(), sums.elements - sums.agree());
  };
  const Share hundredth = of_all(Figure::kHundredth, s.hundredth_threshold, sums.hundredth);
  const Share thousandth = of_all(Figure::kThousandth, s.thousandth_threshold, sums.thousandth);
  const Share ten_thousandth = of_all(Figure::kTenThousandth, s.ten_thousandth_threshold, sums.ten_thousandth);
  switch (share_rule(subject.judged_as())) {
    case Rule::kHalf:
      return decide_by(hundredth, thousandth, row);
    case Rule::kSingle:
      return decide_by(thousandth, ten_thousandth, row);
    case Rule::kByte:
      break;
  }
  // No share is documented for float8, whose own spacing is a sixteenth or more; MindStudio lets everything pass.
  if (subject.mindstudio()) {
    decide(row, Status::kPass, subject.device.torch_name() + " has no share to reach");
    return std::nullopt;
  }
  if (!row[Figure::kUlpShare]) {
    decide(row, Status::kWarning, subject.device.torch_name() + " has neither a share to reach nor a ULP limit");
    return std::nullopt;
  }
  const double beyond = *row[Figure::kUlpShare], limit = s.ulp_share_pass_half;
  const bool near = beyond < limit;
  decide(row, near ? Status::kPass : Status::kWarning,
         against(Figure::kUlpShare, beyond, near ? "<" : ">=", limit) + " (" + subject.device.torch_name() +
             " has no share to reach)");
  return Figure::kUlpShare;
}

}  // namespace

std::optional<Figure> judge_floats(const Partial& sums, const Subject& subject, const Standards& s, Row& row) {
  const Cosine cos = cosine(sums, subject);
  const bool cosine_reached = cos.value ? !(*cos.value <= s.cosine_threshold) : cos.reached;
  const double max_abs = sums.numpy ? sums.numpy_max_abs_judged : *row[Figure::kMaxAbs];
  if (subject.mindstudio()) blank_like_mindstudio(cosine_reached, sums, subject, s, row);
  if (!cosine_reached) {
    decide(row, Status::kError,
           cos.value ? against(Figure::kCosine, *cos.value, "<=", s.cosine_threshold)
                     : std::string(column(Figure::kCosine)) + ": " + std::string(cos.why));
    return Figure::kCosine;
  }
  const auto name_what_agrees = [&] {
    if (sums.numpy_agree == 0) return;
    remark(row, std::to_string(sums.numpy_agree) + " of " + elements_text(sums.elements) +
                    " the same inf or nan on both sides, which MindStudio msprobe takes for errors");
  };
  if (below(max_abs, s.max_abs_threshold, subject.single)) {
    decide(row, Status::kPass, against(Figure::kMaxAbs, max_abs, "<", s.max_abs_threshold));
    name_what_agrees();
    return Figure::kMaxAbs;
  }
  if (!subject.mindstudio() && sums.disagree > 0) {
    // However few they are: a share would let one nan in a thousand pass.
    decide(row, Status::kError,
           std::to_string(sums.disagree) + " of " + elements_text(sums.elements) +
               " inf or nan on one side only, or of different kind or sign");
    return std::nullopt;
  }
  const std::optional<Figure> decided = judge_shares(sums, subject, s, row);
  name_what_agrees();
  return decided;
}

std::optional<double> judge_dropout(int64_t golden_zeros, int64_t device_zeros, int64_t elements, const Standards& s,
                                    Row& row) {
  if (elements < s.dropout_min_elements) {
    decide(row, Status::kPass,
           "dropout: " + elements_text(elements) + ", zeros are compared from " +
               std::to_string(s.dropout_min_elements) + " on");
    return std::nullopt;
  }
  const double off = static_cast<double>(std::abs(golden_zeros - device_zeros)) / static_cast<double>(elements);
  const bool near = off < s.dropout_zero_share;
  decide(row, near ? Status::kPass : Status::kError,
         "dropout: " + std::to_string(golden_zeros) + " zeros in the golden, " + std::to_string(device_zeros) +
             " in the device's output of " + elements_text(elements) + ", difference " + number_text(off) +
             (near ? " < " : " >= ") + number_text(s.dropout_zero_share));
  return off / s.dropout_zero_share;
}

void decide(Row& row, Status status, std::string message) {
  row.status = status;
  row.message = std::move(message);
}

void remark(Row& row, const std::string& text) {
  if (!row.message.empty()) row.message += "; ";
  row.message += text;
}

std::string against(Figure figure, double value, std::string_view relation, double limit) {
  std::string text(column(figure));
  text.append(1, ' ')
      .append(number_text(value))
      .append(1, ' ')
      .append(relation)
      .append(1, ' ')
      .append(number_text(limit));
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

std::string elements_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace msprobe::metrics
