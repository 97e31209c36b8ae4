// config/precision_standard.yaml as plain data: dtype tables, algorithm of an API, levels, thresholds, lists.
// The code has no copy of any of these numbers.
#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "config/api_list.h"
#include "config/jumps.h"
#include "config/settings.h"

namespace msprobe::config {

/// Limits by device dtype (docs/figures.md#limits-by-dtype). Dtypes without a row of their own use float32's.
struct DtypeLimits {
  double eps;                         ///< added to |golden| in relative errors
  double small_value;                 ///< |golden| up to it is small
  double small_value_atol;            ///< documented profile and absolute threshold
  double small_value_atol_benchmark;  ///< mindstudio, benchmark algorithm
  double rtol;
  double ratio_floor;  ///< of a ratio's denominator (api_precision_compare)
};

enum class Algorithm { kBenchmark, kAbsolute, kBinary, kUlp, kThousandth, kAccumulative };
/// "标杆比对法", "绝对阈值法", ...
std::string_view algorithm_name(Algorithm algorithm);

/// Ratio limits of one level (L0, L1, L2).
struct LevelLimits {
  double small_value_ratio, rmse_ratio, max_relative_ratio, mean_relative_ratio, balance_ratio;
};

/// When an output is as good as a yardstick (docs/verdicts.md#as-good-as): its errors may be so many times those of the
/// yardstick, each limit times 1 + scatter / sqrt(elements).
struct AssessmentLimits {
  double rms, max_relative, mean_relative, max_abs;
  double own_arithmetic;  ///< beyond this share of the golden's root mean square, a half type's own arithmetic is no
                          ///< yardstick
  double scatter;
  double negligible;          ///< golden elements below this share of their root mean square have no relative error
  double zeros;               ///< share of elements that may be 0 beyond those of the yardstick
  double norm_rms, norm_max;  ///< float32 and float64: errors in units in the last place of the golden's root mean
                              ///< square that are always good
  double all_but_zero;  ///< the CPU's root mean square error, as a share of the golden's size, that hides a golden
  double cancellation;  ///< largest error of a gradient that cancels, in eps times output gradient times sqrt(elements)
};

/// What PyTorch takes for a parameter that is left out, where that depends on the dtype.
enum class DtypeDefault {
  kEps,            ///< "eps": the epsilon of the dtype that the arithmetic is done in, float32 for float16 and bfloat16
  kEpsLongerSide,  ///< "eps * longer side": the dtype's epsilon times the longer of the input's last two sizes
};

struct Standards {
  std::string path;                                                        ///< the file these were read from
  std::map<std::string, DtypeLimits, std::less<>> documented, mindstudio;  ///< by "float16", "bfloat16", "float32", ...

  // acc_check status rules
  double cosine_threshold;                                                     ///< <= is error
  double max_abs_threshold;                                                    ///< < is pass
  double hundredth_threshold, thousandth_threshold, ten_thousandth_threshold;  ///< reached when share > 1 - threshold
  double dropout_zero_share;  ///< judged when at least dropout_min_elements
  int64_t dropout_min_elements;
  double quantization_max_abs;  ///< quantising APIs with integer output
  std::map<std::string, double, std::less<>>
      ulp_share_limit;  ///< by dtype: ULP above it is counted (float32 32, halves 1)

  AssessmentLimits assessment;

  // api_precision_compare
  ApiMap<Algorithm> algorithm_of_api;  ///< absent: benchmark
  ApiMap<int> level_of_api;            ///< absent: 0
  std::array<LevelLimits, 3> levels;
  double ulp_share_pass_half;                                                           ///< 0.001
  double ulp_share_pass_single;                                                         ///< 0.05
  double ulp_mean_pass_single;                                                          ///< 64
  double ulp_ratio_pass;                                                                ///< 1
  double thousandth_pass;                                                               ///< 0.999
  std::map<std::string, double, std::less<>> accumulative_bound, accumulative_balance;  ///< by dtype
  double accumulative_small_value;                                                      ///< 1

  // lists of names
  ApiList quantization_apis, index_apis, random_apis, skip_apis, no_backward_apis, removed_apis;
  /// API -> argument that makes it random when > 0 / true ("scaled_dot_product_attention" -> "dropout_p").
  ApiMap<std::string> random_by_argument;
  /// API -> argument without which (absent or None) it is random ("fractional_max_pool2d" -> "_random_samples").
  ApiMap<std::string> random_without_argument;
  /// API -> argument that makes it random when < 1 ("npu_fusion_attention" -> "keep_prob").
  ApiMap<std::string> random_below_one;
  /// Golden in the recorded precision: what they answer is about the dtype itself.
  ApiList not_raised;
  /// API -> parameter and its default for the recorded dtype, which the golden gets in place of float64's.
  ApiMap<std::pair<std::string, DtypeDefault>> dtype_defaults;
  /// API -> how many of its first outputs are compared; the others are the kernel's own bookkeeping.
  ApiMap<int> judged_outputs;
  ApiMap<std::string> unsupported;  ///< name -> reason why it cannot be replayed
  ApiMap<Jump> jumps;               ///< functions that jump

  const DtypeLimits& limits(std::string_view dtype, Profile profile) const;  ///< "torch.float16" or "float16"
  Algorithm algorithm(const ApiNames& api) const;
  int level(const ApiNames& api) const;  ///< 0 to 2
};

/// Throws Error (file, line, remedy) for unknown keys, missing dtypes, wrong types.
Standards load_standards(const std::string& path);

}  // namespace msprobe::config
