// 标杆比对法: five figures of the NPU over those of the GPU; limits by the care level of the API.
#include "compare/ratio.h"
#include "compare/registry.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

struct Measure {
  Figure figure;
  Column ratio, verdict;
  double config::LevelLimits::*limit;
  bool by_level;                          ///< the limit depends on the level: it is named beside it
  std::string_view mindstudio_complaint;  ///< empty: shown, but not counted
};

const std::array<Measure, 5> kMeasures = {{
    {Figure::kSmallValueErrorRate, Column::kSmallValueRatio, Column::kSmallValueVerdict,
     &config::LevelLimits::small_value_ratio, false, "ERROR: 小值域错误比值超过阈值\n"},
    {Figure::kRmse, Column::kRmseRatio, Column::kRmseVerdict, &config::LevelLimits::rmse_ratio, true,
     "ERROR: 均方根误差比值超过阈值\n"},
    {Figure::kMaxRelative, Column::kMaxRelativeRatio, Column::kMaxRelativeVerdict,
     &config::LevelLimits::max_relative_ratio, true, "ERROR: 相对误差最大值比值超过阈值\n"},
    {Figure::kMeanRelative, Column::kMeanRelativeRatio, Column::kMeanRelativeVerdict,
     &config::LevelLimits::mean_relative_ratio, true, "ERROR: 相对误差平均值比值超过阈值\n"},
    {Figure::kBalance, Column::kBalanceRatio, Column::kBalanceVerdict, &config::LevelLimits::balance_ratio, false, ""},
}};

std::string_view figure_name(Figure figure) {
  return outcome::kFigureColumns[static_cast<size_t>(figure)];
}

/// True when the figure passes.
bool judge_one(const Measure& measure, const Subject& subject, Judgement& out) {
  const FigureCell npu = subject.npu[measure.figure], gpu = subject.gpu[measure.figure];
  if (!npu.is_number() || !gpu.is_number()) return true;  // only the one that is not counted
  const Ratio r = ratio(npu.value, gpu.value, subject.ratio_floor);
  const double limit = subject.standards.levels[static_cast<size_t>(subject.level)].*measure.limit;
  const bool counted = !measure.mindstudio_complaint.empty();
  const bool passes = r.agreement == Agreement::kSame || (r.agreement == Agreement::kFinite && r.value <= limit);
  out.set(measure.ratio, r.value);
  out.set_verdict(measure.verdict, passes);
  if (r.agreement == Agreement::kFinite) {
    if (!passes)
      out.find({Finding::Kind::kAbove, measure.figure, column_name(measure.ratio), r.value, limit,
                measure.by_level ? subject.level : -1, counted});
    else if (counted && std::abs(gpu.value) < subject.ratio_floor && beyond(npu.value, gpu.value, limit))
      out.find({Finding::Kind::kFloor, measure.figure, figure_name(measure.figure),
                std::abs(npu.value) / std::abs(gpu.value), subject.ratio_floor});
    return passes;
  }
  const bool same = r.agreement == Agreement::kSame;
  out.find({same ? Finding::Kind::kSidesAgree : Finding::Kind::kSidesDiffer, measure.figure,
            figure_name(measure.figure), npu.value, gpu.value, -1, counted || same});
  out.say(figure_name(measure.figure), same ? "同为同号inf或nan\n" : "inf或nan不一致\n");
  return passes;
}

void judge(const Subject& subject, Judgement& out) {
  std::array<bool, kMeasures.size()> passes{};
  for (size_t i = 0; i < kMeasures.size(); ++i) passes[i] = judge_one(kMeasures[i], subject, out);
  for (size_t i = 0; i < kMeasures.size(); ++i) {
    if (passes[i] || kMeasures[i].mindstudio_complaint.empty()) continue;
    out.status = outcome::Status::kError;
    out.say(kMeasures[i].mindstudio_complaint);
  }
}

const std::vector<Need> kNeeds = {
    {Figure::kSmallValueErrorRate, Side::kNpu},
    {Figure::kSmallValueErrorRate, Side::kGpu},
    {Figure::kRmse, Side::kNpu},
    {Figure::kRmse, Side::kGpu},
    {Figure::kMaxRelative, Side::kNpu},
    {Figure::kMaxRelative, Side::kGpu},
    {Figure::kMeanRelative, Side::kNpu},
    {Figure::kMeanRelative, Side::kGpu},
    {Figure::kBalance, Side::kNpu, Need::When::kShown},
    {Figure::kBalance, Side::kGpu, Need::When::kShown},
};
const std::vector<Column> kWrites = {
    Column::kSmallValueRatio,  Column::kSmallValueVerdict,  Column::kRmseRatio,         Column::kRmseVerdict,
    Column::kMaxRelativeRatio, Column::kMaxRelativeVerdict, Column::kMeanRelativeRatio, Column::kMeanRelativeVerdict,
    Column::kBalanceRatio,     Column::kBalanceVerdict,
};
MSPROBE_STANDARD("标杆比对法", kNeeds, kWrites, judge);

}  // namespace
}  // namespace msprobe::compare
