// 二进制一致法: no element of the NPU differs from the golden.
#include "compare/registry.h"

namespace msprobe::compare {
namespace {

void judge(const Subject& subject, Judgement& out) {
  const double rate = subject.npu[outcome::Figure::kBinaryErrorRate].value;
  out.set(Column::kBinaryRate, rate);
  out.set_verdict(Column::kBinaryVerdict, rate == 0);
  if (rate == 0) return;
  out.status = outcome::Status::kError;
  out.find({Finding::Kind::kAbove, outcome::Figure::kBinaryErrorRate, column_name(Column::kBinaryRate), rate, 0});
  out.say("ERROR: 二进制一致错误率超过阈值\n");
}

const std::vector<Need> kNeeds = {{outcome::Figure::kBinaryErrorRate}};
const std::vector<Column> kWrites = {Column::kBinaryRate, Column::kBinaryVerdict};
MSPROBE_STANDARD("二进制一致法", kNeeds, kWrites, judge);

}  // namespace
}  // namespace msprobe::compare
