// Which places of a fused attention's scores are hidden: its mask and its sparse modes.
#pragma once
#include <ATen/core/Tensor.h>

#include "goldens/npu/shared/attention.h"

namespace msprobe::goldens {

/// Which places are hidden, and whether they are those above the diagonal of a square, which kernels know by name.
struct Hidden {
  at::Tensor places;  ///< broadcasts to (B, N1, Sq, Skv); undefined: none
  bool causal = false;
};

/// For one sequence of `queries` rows and `keys` columns: (Sq, Skv), or as the mask is. A 2048 x 2048 mask in modes 2,
/// 3, 4, 7 and 8 (3072 x 2048 in mode 6) stands for the mode's own pattern, any other is taken as it is. `mode` is the
/// sequence's own (7 and 8 are resolved before).
Hidden hidden_in_sequence(const AttentionOptions& options, int64_t mode, int64_t batch, int64_t queries, int64_t keys);
/// For a whole batch, in options.sparse_mode.
Hidden hidden_in_batch(const AttentionOptions& options, int64_t batches, int64_t queries, int64_t keys);

/// Sequence `batch` of a mask or a pse: its first `queries` rows and `keys` columns; undefined stays so.
at::Tensor of_sequence(const at::Tensor& t, int64_t batch, int64_t queries, int64_t keys);

}  // namespace msprobe::goldens
