// The columns of api_precision_compare_details_{timestamp}.csv, in file order.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace msprobe::compare {

enum class Column : int {
  kApiName,
  kSmallValueRatio,
  kSmallValueVerdict,
  kRmseRatio,
  kRmseVerdict,
  kMaxRelativeRatio,
  kMaxRelativeVerdict,
  kMeanRelativeRatio,
  kMeanRelativeVerdict,
  kBalanceRatio,
  kBalanceVerdict,
  kInfNanRate,
  kInfNanVerdict,
  kRelativeRate,
  kRelativeVerdict,
  kAbsoluteRate,
  kAbsoluteVerdict,
  kBinaryRate,
  kBinaryVerdict,
  kMeanUlp,
  kUlpShare,
  kUlpShareRatio,
  kUlpVerdict,
  kThousandth,
  kThousandthVerdict,
  kResult,
  kAlgorithm,
  kMessage,
};
constexpr size_t kColumnCount = 28;

constexpr std::array<std::string_view, kColumnCount> kColumnNames = {"API Name",
                                                                     "小值域错误比值",
                                                                     "小值域错误判定结果",
                                                                     "均方根误差比值",
                                                                     "均方根误差判定结果",
                                                                     "相对误差最大值比值",
                                                                     "相对误差最大值判定结果",
                                                                     "相对误差平均值比值",
                                                                     "相对误差平均值判定结果",
                                                                     "误差均衡性比值",
                                                                     "误差均衡性判定结果",
                                                                     "inf/nan错误率",
                                                                     "inf/nan判定结果",
                                                                     "相对误差错误率",
                                                                     "相对误差判定结果",
                                                                     "绝对误差错误率",
                                                                     "绝对误差判定结果",
                                                                     "二进制一致错误率",
                                                                     "二进制一致错误率判定结果",
                                                                     "ULP误差平均值",
                                                                     "ULP误差大于阈值占比",
                                                                     "ULP误差大于阈值占比比值",
                                                                     "ULP误差判定结果",
                                                                     "双千指标",
                                                                     "双千指标判定结果",
                                                                     "比对结果",
                                                                     "比对算法",
                                                                     "Message"};

constexpr std::string_view column_name(Column column) {
  return kColumnNames[static_cast<size_t>(column)];
}

}  // namespace msprobe::compare
