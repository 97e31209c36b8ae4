// 绝对阈值法: the NPU's error rates for inf/nan, normal values and small values are all 0.
#include "compare/error_rates.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

const std::vector<Need> kNeeds = {
    {Figure::kInfNanErrorRate}, {Figure::kRelativeErrorRate}, {Figure::kAbsoluteErrorRate}};
const std::vector<Column> kWrites = {Column::kInfNanRate,      Column::kInfNanVerdict, Column::kRelativeRate,
                                     Column::kRelativeVerdict, Column::kAbsoluteRate,  Column::kAbsoluteVerdict};
MSPROBE_STANDARD("绝对阈值法", kNeeds, kWrites, judge_error_rates);

}  // namespace
}  // namespace msprobe::compare
