// One row of the details CSV and the outcome of one API: plain data, free of LibTorch, sent from worker to supervisor.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outcome/assessment.h"
#include "outcome/reason.h"

namespace msprobe::outcome {

enum class Status : int { kPass, kWarning, kError, kSkip, kBlank };
/// "pass", "warning", "error", "SKIP", " ".
constexpr std::string_view status_text(Status status) {
  switch (status) {
    case Status::kPass:
      return "pass";
    case Status::kWarning:
      return "warning";
    case Status::kError:
      return "error";
    case Status::kSkip:
      return "SKIP";
    case Status::kBlank:
      break;
  }
  return " ";
}

/// The figure columns in file order; metrics/figures.cpp holds the formulas.
enum class Figure : int {
  kCosine,
  kMaxAbs,
  kHundredth,
  kThousandth,
  kTenThousandth,
  kBinaryErrorRate,
  kBalance,
  kRmse,
  kSmallValueErrorRate,
  kMaxRelative,
  kMeanRelative,
  kInfNanErrorRate,
  kRelativeErrorRate,
  kAbsoluteErrorRate,
  kMaxUlp,
  kMeanUlp,
  kUlpShare,
};
constexpr int kFigureCount = 17;
/// Column names of the details CSV, by Figure.
constexpr std::array<std::string_view, kFigureCount> kFigureColumns = {
    "余弦相似度",     "最大绝对误差",   "双百指标",       "双千指标",       "双万指标",           "二进制一致错误率",
    "误差均衡性",     "均方根误差",     "小值域错误占比", "相对误差最大值", "相对误差平均值",     "inf/nan错误率",
    "相对误差错误率", "绝对误差错误率", "ULP误差最大值",  "ULP误差平均值",  "ULP误差大于阈值占比"};

struct Row {
  std::string name;         ///< "<API>.forward.output.<i>" or "<API>.backward.output.<i>"
  std::string bench_dtype;  ///< "torch.float64", "<class 'int'>"; empty = blank
  std::string device_dtype;
  std::string shape;                                          ///< "(2, 3)"; empty = blank
  std::array<std::optional<double>, kFigureCount> figures{};  ///< nullopt = blank
  Status status = Status::kSkip;
  std::string message;  ///< one line; ends with the assessment's clause
  Assessed assessed;

  std::optional<double>& operator[](Figure f) { return figures[static_cast<int>(f)]; }
  const std::optional<double>& operator[](Figure f) const { return figures[static_cast<int>(f)]; }
};

/// Everything that is written for one API.
struct ApiOutcome {
  std::string api;
  Status forward = Status::kSkip;
  Status backward = Status::kBlank;
  Reason reason = Reason::kNone;  ///< why it was not judged
  std::string message;            ///< result CSV's Message, one line
  std::vector<Row> rows;          ///< forward rows, then backward rows
  double seconds = 0;             ///< wall time, for the summary
  /// Replayed device output against the recorded one (real data): largest distance in ULP, 0 = identical, inf = other
  /// shape, dtype or kind; nullopt = nothing to compare with.
  std::optional<double> recorded_ulp;
};

/// error if any is error, else warning, else pass; all SKIP: SKIP; no rows: blank.
Status combine(const std::vector<Row>& rows);

}  // namespace msprobe::outcome
