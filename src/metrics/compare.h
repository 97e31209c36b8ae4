// Golden against device: all figures in one pass, and the status of a row (docs/figures.md).
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "outcome/row.h"

namespace msprobe::metrics {

/// What the CPU makes of the same call, in the arithmetic that good kernels use or in the recorded dtypes
/// (docs/verdicts.md#the-yardsticks).
struct Second {
  at::Tensor tensor;       ///< of this output, on the CPU; undefined: there is none
  bool is_device = false;  ///< it is the very call that the device made
  bool reduced = false;    ///< made in a half type's own arithmetic, whose errors may be anything: bounded
  double scale = 1;        ///< by which its errors are those to be expected: a float64 call is made in float32
  std::string arithmetic;  ///< "float32 arithmetic"
  std::string lacking;     ///< why there is none
};

struct CompareContext {
  config::Profile profile;
  const config::Standards& standards;        ///< dtype table, thresholds, algorithms
  const config::ApiList& quantization_apis;  ///< in effect: the standards' or the user's
  config::ApiNames api;
  bool backward = false;
  bool dropout = false;        ///< judged by the number of zeros; figures are shown all the same
  bool float8_inputs = false;  ///< an argument is float8: profile mindstudio then fills the absolute-threshold figures
  /// The device's numbers are of this floating dtype, widened to the one that they are stored in: its limits, share
  /// rule and ULP judge them. Profile documented.
  std::optional<at::ScalarType> computed_in = {};

  bool assess = false;  ///< give the row an assessment
  /// The k-th opinion on this output, nullopt behind the last. Asked for in turn, until the device is as good as one,
  /// where it is not as good as the golden rounded.
  std::function<std::optional<Second>(size_t k)> second = {};
  /// What makes both sides nothing but rounding errors, as the rest of a clause that opens "the golden is all but 0
  /// here"; empty: they are not.
  std::function<std::string(const at::Tensor& golden, const at::Tensor& device)> cancels = {};
};

/// A builtin result (int, float, bool, str, None) of both sides; kind as Python's "<class 'int'>".
struct Builtin {
  std::string kind;   ///< "int", "float", "bool", "str", "complex", "NoneType"
  double number = 0;  ///< of int, float, bool
  double imag = 0;    ///< of complex
  std::string text;   ///< exact value: digits of an int, str's content
};

/// Both tensors on the CPU, any strides and dtypes. Fills dtypes, shape, figures, status and message of `row`.
/// Result is the same bits whatever the number of threads.
void compare_tensors(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                     outcome::Row& row);
void compare_builtins(const Builtin& golden, const Builtin& device, const CompareContext& context, outcome::Row& row);

/// Index outputs (topk, sort, argmax, ...): an index that differs but selects an equal value, as the device saw it, is
/// a tie. `values`: the input of the call on the device side, moved to the CPU; `dim`: the dimension indices run along
/// (nullopt: flattened). Falls back to compare_tensors where the shapes do not allow the check.
void compare_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                     std::optional<int64_t> dim, bool distinct, const CompareContext& context, outcome::Row& row);

/// How a pool's windows lie over its input: a window for each place of the output, dimension by dimension.
struct PoolWindows {
  struct Range {
    int64_t start, end, step;  ///< start, start + step, ... below end
    bool holds(int64_t place) const { return place >= start && place < end && (place - start) % step == 0; }
  };
  /// One a dimension of the plane, one a place of the output. Empty: the windows are not known, but `extent` is.
  std::vector<std::vector<Range>> ranges;
  std::vector<int64_t> extent;  ///< elements of a window along each dimension
};

/// Indices of a max-pool into the last dimensions of `values`, flattened: one that differs is a tie where it selects an
/// equal value within its own window.
void compare_pool_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                          const PoolWindows& windows, const CompareContext& context, outcome::Row& row);

/// Largest distance in units of the last place between two tensors of the same floating dtype (0: bit-identical up to
/// the sign of zero and nan payloads); nullopt when shapes or dtypes differ. For "recorded: identical".
std::optional<double> max_ulp_distance(const at::Tensor& a, const at::Tensor& b);

/// "(2, 3)", "(5,)", "()".
std::string python_shape(at::IntArrayRef sizes);

}  // namespace msprobe::metrics
