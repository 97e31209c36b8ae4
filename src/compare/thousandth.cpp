// 双千指标法: more than 0.999 of the NPU's elements have a relative error below 0.001. MindStudio's code takes >=, but
// never comes to it.
#include "compare/registry.h"

namespace msprobe::compare {
namespace {

void judge(const Subject& subject, Judgement& out) {
  const double share = subject.npu[outcome::Figure::kThousandth].value;
  const double limit = subject.standards.thousandth_pass;
  out.set(Column::kThousandth, share);
  out.set_verdict(Column::kThousandthVerdict, share > limit);
  if (share > limit) return;
  out.status = outcome::Status::kError;
  out.find({Finding::Kind::kNotAbove, outcome::Figure::kThousandth, column_name(Column::kThousandth), share, limit});
}

const std::vector<Need> kNeeds = {{outcome::Figure::kThousandth}};
const std::vector<Column> kWrites = {Column::kThousandth, Column::kThousandthVerdict};
MSPROBE_STANDARD("双千指标法", kNeeds, kWrites, judge);

}  // namespace
}  // namespace msprobe::compare
