// ULP误差比对法: passes when one of its criteria holds: few elements of the NPU are off by more than the dtype's ULP
// limit, or fewer than on the GPU, or (float32) the mean error is small.
#include <cmath>

#include "compare/ratio.h"
#include "compare/registry.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

/// A pair of figures that are not both finite decides alone: pass where the GPU has the same, else error. Returns false
/// when they differ.
bool accept_special(Figure figure, std::string_view name, double npu, double gpu, Judgement& out, bool& passes) {
  const Agreement how = agreement(npu, gpu);
  if (how == Agreement::kFinite) return true;
  const bool same = how == Agreement::kSame;
  out.find({same ? Finding::Kind::kSidesAgree : Finding::Kind::kSidesDiffer, figure, name, npu, gpu});
  passes |= same;
  return same;
}

struct Criterion {
  Figure figure;
  std::string_view name;
  double value, limit;
  Finding::Kind failure = Finding::Kind::kNotBelow;
};

/// Passes when one is below its limit.
void judge_criteria(std::initializer_list<Criterion> criteria, bool passes, Judgement& out) {
  for (const Criterion& c : criteria) passes |= c.value < c.limit;
  out.set_verdict(Column::kUlpVerdict, passes);
  if (passes) return;
  out.status = outcome::Status::kError;
  out.say("ERROR: ULP误差不满足标准\n");
  for (const Criterion& c : criteria) out.find({c.failure, c.figure, c.name, c.value, c.limit});
}

void judge(const Subject& subject, Judgement& out) {
  const config::Standards& s = subject.standards;
  const double share = subject.npu[Figure::kUlpShare].value;
  const Criterion half = {Figure::kUlpShare, column_name(Column::kUlpShare), share, s.ulp_share_pass_half};
  out.set(Column::kUlpShare, share);
  if (subject.dtype_class == DtypeClass::kFloat8) return judge_criteria({half}, false, out);

  const double gpu_share = subject.gpu[Figure::kUlpShare].value;
  const Ratio shares = ratio(share, gpu_share, subject.ratio_floor);
  const FigureCell mean = subject.npu[Figure::kMeanUlp], gpu_mean = subject.gpu[Figure::kMeanUlp];
  out.set(Column::kUlpShareRatio, shares.value);
  if (mean.is_number()) out.set(Column::kMeanUlp, mean.value);

  const bool single = subject.dtype_class != DtypeClass::kHalf;
  bool passes = false;
  bool comparable = accept_special(Figure::kUlpShare, column_name(Column::kUlpShare), share, gpu_share, out, passes);
  if (single)
    comparable &= accept_special(Figure::kMeanUlp, column_name(Column::kMeanUlp), mean.value,
                                 gpu_mean.is_number() ? gpu_mean.value : 0, out, passes);
  if (!comparable) {
    out.set_verdict(Column::kUlpVerdict, false);
    out.status = outcome::Status::kError;
    return;
  }
  // The shares themselves: the floor of the ratio would let an NPU pass that is worse than its GPU.
  const Criterion below_gpu = {Figure::kUlpShare, column_name(Column::kUlpShare), std::abs(share),
                               s.ulp_ratio_pass * std::abs(gpu_share), Finding::Kind::kNotBelowGpu};
  if (!single) return judge_criteria({half, below_gpu}, passes, out);
  judge_criteria({{Figure::kMeanUlp, column_name(Column::kMeanUlp), mean.value, s.ulp_mean_pass_single},
                  {Figure::kUlpShare, column_name(Column::kUlpShare), share, s.ulp_share_pass_single},
                  below_gpu},
                 passes, out);
}

const std::vector<Need> kNeeds = {{Figure::kMeanUlp, Side::kNpu, Need::When::kSingle},
                                  {Figure::kUlpShare, Side::kNpu},
                                  {Figure::kUlpShare, Side::kGpu, Need::When::kNotFloat8},
                                  {Figure::kMeanUlp, Side::kGpu, Need::When::kShown}};
const std::vector<Column> kWrites = {Column::kMeanUlp, Column::kUlpShare, Column::kUlpShareRatio, Column::kUlpVerdict};
MSPROBE_STANDARD("ULP误差比对法", kNeeds, kWrites, judge);

}  // namespace
}  // namespace msprobe::compare
