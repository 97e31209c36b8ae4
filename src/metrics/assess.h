// The assessment of one compared output: as good as the golden rounded, as the CPU's second opinion, or a suspect
// (docs/verdicts.md).
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "metrics/compare.h"
#include "metrics/figures.h"
#include "metrics/pair_view.h"
#include "metrics/partial.h"
#include "outcome/row.h"

namespace msprobe::metrics {

/// Two floating or complex tensors that were compared.
struct FloatPair {
  const at::Tensor &golden, &device;
  const PairView& view;
  const Subject& subject;
  const Partial& sums;                     ///< of the documented figures' pass
  std::optional<outcome::Figure> decided;  ///< the figure that decided Status
  std::string little;                      ///< what proves little about a pass (docs/figures.md#status-in-this-order)
};

/// Fills row.assessed; `row` has its Status. Asks context.second only where the device is not as good as the golden
/// rounded.
void assess_floats(const FloatPair& pair, const CompareContext& context, outcome::Row& row);

/// Integers and bool: equal, or as often unequal as the CPU's second opinion.
void assess_integers(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                     const std::string& little, outcome::Row& row);

/// Integers that select elements: what differs and is no tie has made `row` an error.
void assess_indices(const at::Tensor& golden, const at::Tensor& device, const CompareContext& context,
                    outcome::Row& row);

/// What is wrong in kind, where no number says how far: shape, type, count. `what`: "another shape".
void assess_kind(const std::string& what, outcome::Row& row);

/// Dropout, judged by its zeros; `excess`: difference / limit, nullopt: too few elements to judge.
void assess_zeros(std::optional<double> excess, outcome::Row& row);

}  // namespace msprobe::metrics
