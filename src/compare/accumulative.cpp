// 累积误差比对法: error rates as in 绝对阈值法, which acc_check took with wider bounds, and 误差均衡性 within a
// threshold by dtype. The columns of 误差均衡性比值 hold the figure itself.
#include "compare/error_rates.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

void judge(const Subject& subject, Judgement& out) {
  judge_error_rates(subject, out);
  const double balance = subject.npu[Figure::kBalance].value;
  const double limit = subject.limit_of(subject.standards.accumulative_balance);
  const bool passes = balance <= limit;
  out.set(Column::kBalanceRatio, balance);
  out.set_verdict(Column::kBalanceVerdict, passes);
  if (passes) return;
  out.status = outcome::Status::kError;
  out.find({Finding::Kind::kAbove, Figure::kBalance, "误差均衡性", balance, limit});
}

const std::vector<Need> kNeeds = {
    {Figure::kInfNanErrorRate}, {Figure::kRelativeErrorRate}, {Figure::kAbsoluteErrorRate}, {Figure::kBalance}};
const std::vector<Column> kWrites = {Column::kInfNanRate,      Column::kInfNanVerdict, Column::kRelativeRate,
                                     Column::kRelativeVerdict, Column::kAbsoluteRate,  Column::kAbsoluteVerdict,
                                     Column::kBalanceRatio,    Column::kBalanceVerdict};
MSPROBE_STANDARD("累积误差比对法", kNeeds, kWrites, judge);

}  // namespace
}  // namespace msprobe::compare
