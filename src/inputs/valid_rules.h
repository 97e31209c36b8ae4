// The rules of valid.h. Each gets the call and the place of an argument that keeps the rule, changes drawn tensors
// there, and notes what it changed; values that keep the rule already stay as they are.
#pragma once
#include "inputs/valid_call.h"

namespace msprobe::inputs {

/// `name`: the argument's own name, for notes.
using RuleFunction = void (*)(ValidCall& call, Place place, std::string_view name);

// valid_orders.cpp
void sort_ascending(ValidCall& call, Place place, std::string_view name);     ///< along the last dimension
void sort_from_zero(ValidCall& call, Place place, std::string_view name);     ///< ascending, the first is 0
void order_bag_offsets(ValidCall& call, Place place, std::string_view name);  ///< embedding_bag
void order_batch_sizes(ValidCall& call, Place place, std::string_view name);  ///< descending, sum to the data's rows
void order_pack_lengths(ValidCall& call, Place place, std::string_view name);
void sum_segment_lengths(ValidCall& call, Place place, std::string_view name);
void order_segment_offsets(ValidCall& call, Place place, std::string_view name);
void sum_repeats(ValidCall& call, Place place, std::string_view name);
void split_as_recorded(ValidCall& call, Place place, std::string_view name);
void fit_target_lengths(ValidCall& call, Place place, std::string_view name);  ///< ctc_loss
void order_group_list(ValidCall& call, Place place, std::string_view name);    ///< cumulative or counts
void sort_by_sorter(ValidCall& call, Place place, std::string_view name);      ///< searchsorted(sorter=)

// valid_masks.cpp
void count_selected(ValidCall& call, Place place, std::string_view name);   ///< masked_select
void count_scattered(ValidCall& call, Place place, std::string_view name);  ///< masked_scatter
void count_nonzero(ValidCall& call, Place place, std::string_view name);    ///< nonzero, argwhere, where(condition)
void fit_index(ValidCall& call, Place place, std::string_view name);        ///< x[index], x[index] = v, index_put

// valid_indices.cpp
void distinct_positions(ValidCall& call, Place place, std::string_view name);  ///< no number twice in the tensor
void distinct_along_dim(ValidCall& call, Place place, std::string_view name);  ///< scatter
void distinct_put(ValidCall& call, Place place, std::string_view name);        ///< put without accumulate
void distinct_in_plane(ValidCall& call, Place place, std::string_view name);   ///< max_unpool
void without_zero(ValidCall& call, Place place, std::string_view name);        ///< integer divisors
void either_end(ValidCall& call, Place place, std::string_view name);          ///< losses whose target is -1 or 1
/// What the rules above share: `slices` rows of `length` numbers each, in the tensor moved so that they come last.
void make_distinct(ValidCall& call, const Drawn& drawn, std::string_view name, at::Tensor view);

// valid_matrices.cpp
void positive_definite(ValidCall& call, Place place, std::string_view name);
void strong_diagonal(ValidCall& call, Place place, std::string_view name);  ///< triangular factors
void pivots(ValidCall& call, Place place, std::string_view name);           ///< within 1..n

}  // namespace msprobe::inputs
