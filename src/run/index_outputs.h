// Which outputs of a call are indices into its input, and along which dimension (metrics.md, "Index outputs").
#pragma once
#include <optional>
#include <string_view>

#include "inputs/value.h"

namespace msprobe::run {

struct IndexOutput {
  std::optional<int64_t> dim;  ///< nullopt: into the flattened input
  bool distinct = false;       ///< no index may occur twice along dim (topk, sort)
};

/// `api`: bare name ("topk"); nullopt when that call's integer outputs are not such indices.
std::optional<IndexOutput> index_output(std::string_view api, const inputs::Arguments& arguments);

}  // namespace msprobe::run
