// The three error rates of the NPU, which 绝对阈值法 and 累积误差比对法 judge alike: each must be 0.
#pragma once
#include <array>

#include "compare/registry.h"

namespace msprobe::compare {

struct ErrorRate {
  outcome::Figure figure;
  Column rate, verdict;
  std::string_view mindstudio_complaint;
};

inline constexpr std::array<ErrorRate, 3> kErrorRates = {{
    {outcome::Figure::kInfNanErrorRate, Column::kInfNanRate, Column::kInfNanVerdict, "ERROR: inf/nan错误率超过阈值"},
    {outcome::Figure::kRelativeErrorRate, Column::kRelativeRate, Column::kRelativeVerdict,
     "ERROR: 相对误差错误率超过阈值"},
    {outcome::Figure::kAbsoluteErrorRate, Column::kAbsoluteRate, Column::kAbsoluteVerdict,
     "ERROR: 绝对误差错误率超过阈值"},
}};

inline void judge_error_rates(const Subject& subject, Judgement& out) {
  for (const ErrorRate& one : kErrorRates) {
    const double rate = subject.npu[one.figure].value;
    const bool passes = rate == 0;
    out.set(one.rate, rate);
    out.set_verdict(one.verdict, passes);
    if (passes) continue;
    out.status = outcome::Status::kError;
    out.find({Finding::Kind::kAbove, one.figure, column_name(one.rate), rate, 0});
    out.say(one.mindstudio_complaint);
  }
}

}  // namespace msprobe::compare
