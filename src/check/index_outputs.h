// Which output of a call holds indices into its input, and along which dimension (docs/execution.md#index-outputs).
#pragma once
#include <optional>

#include "dump/api_name.h"
#include "inputs/value.h"
#include "metrics/compare.h"

namespace msprobe::check {

struct IndexOutput {
  std::optional<int64_t> dim;  ///< nullopt: into the flattened input
  bool distinct = false;       ///< no index may occur twice along dim (topk, sort)
  bool into_result = false;    ///< they select from result 0 (unique's inverse), not from the input
  bool stable = false;         ///< the order among equal values is part of the result: no index is a tie
  std::optional<metrics::PoolWindows> windows{};  ///< of a pool, in whose planes they select
};

/// By what config/signatures.yaml knows of the API. `output`: which of the flat results. nullopt: not such indices.
/// Values are none, whatever their dtype: the largest of integers, two tensors' maximum, topk's first result.
/// `indices`: the sizes of that result.
std::optional<IndexOutput> index_output(const dump::ApiName& api, const inputs::Arguments& arguments, size_t output,
                                        at::IntArrayRef indices = {});

/// The input that the indices select from; nullptr when no tensor is given for it.
const at::Tensor* indexed_input(const dump::ApiName& api, const inputs::Arguments& arguments);

}  // namespace msprobe::check
