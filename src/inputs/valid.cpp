#include "inputs/valid.h"

#include <algorithm>
#include <limits>

#include "inputs/valid_rules.h"

namespace msprobe::inputs {
namespace {

constexpr size_t kByName = std::numeric_limits<size_t>::max();  // no position: keyword only

/// Which argument of which operators keeps which rule. An operator's in-place form (`put_`) is its plain name's.
struct Rule {
  std::string_view operators;  ///< names apart by blanks; "*": all
  size_t position;
  std::string_view name;  ///< keyword, and the word that notes use
  RuleFunction apply;
};

constexpr Rule kRules[] = {
    // Ordered
    {"searchsorted", 0, "sorted_sequence", sort_by_sorter},
    {"bucketize", 1, "boundaries", sort_ascending},
    {"histogram histogramdd", 1, "bins", sort_ascending},
    {"embedding_bag _embedding_bag _embedding_bag_forward_only", 2, "offsets", order_bag_offsets},
    {"_flash_attention_forward", 3, "cum_seq_q", sort_from_zero},
    {"_flash_attention_forward", 4, "cum_seq_k", sort_from_zero},
    {"_efficient_attention_forward", 4, "cu_seqlens_q", sort_from_zero},
    {"_efficient_attention_forward", 5, "cu_seqlens_k", sort_from_zero},
    {"*", kByName, "cu_seqlens", sort_from_zero},
    {"*", kByName, "cu_seqlens_kv", sort_from_zero},
    {"npu_fusion_attention_v3", 14, "actual_seq_qlen", sort_ascending},
    {"npu_fusion_attention_v3", 15, "actual_seq_kvlen", sort_ascending},
    {"*", kByName, "actual_seq_qlen", sort_ascending},
    {"*", kByName, "actual_seq_kvlen", sort_ascending},
    {"*", kByName, "actual_seq_klen", sort_ascending},
    {"*", kByName, "actual_seq_len", sort_ascending},
    {"*", kByName, "actual_seq_lengths", sort_ascending},
    {"*", kByName, "actual_seq_lengths_kv", sort_ascending},
    {"*", kByName, "actual_seq_lengths_query", sort_ascending},
    {"*", kByName, "actual_seq_lengths_key", sort_ascending},

    // Summing up
    {"lstm gru rnn_tanh rnn_relu quantized_lstm quantized_gru _pad_packed_sequence", 1, "batch_sizes",
     order_batch_sizes},
    {"_pack_padded_sequence", 1, "lengths", order_pack_lengths},
    {"segment_reduce _segment_reduce_backward", kByName, "lengths", sum_segment_lengths},
    {"segment_reduce _segment_reduce_backward", kByName, "offsets", order_segment_offsets},
    {"repeat_interleave", 1, "repeats", sum_repeats},
    {"repeat_interleave", 0, "repeats", sum_repeats},
    {"tensor_split", 1, "tensor_indices_or_sections", split_as_recorded},
    {"ctc_loss _ctc_loss", 3, "target_lengths", fit_target_lengths},
    {"npu_grouped_matmul_swiglu_quant npu_grouped_matmul_finalize_routing", 2, "group_list", order_group_list},
    {"npu_grouped_matmul_add", 3, "group_list", order_group_list},
    {"npu_grouped_matmul_swiglu_quant_v2 npu_add_quant_gmm", 4, "group_list", order_group_list},
    {"npu_grouped_matmul", kByName, "group_list", order_group_list},

    // Selecting as many as recorded
    {"masked_select", 1, "mask", count_selected},
    {"masked_scatter", 1, "mask", count_scattered},
    {"nonzero nonzero_numpy argwhere", 0, "input", count_nonzero},
    {"where", 0, "condition", count_nonzero},
    {"__getitem__ __setitem__ index index_put _unsafe_index _unsafe_index_put _index_put_impl", 1, "indices",
     fit_index},

    // Places that are written: twice the same is a race on a device
    {"index_copy", 2, "index", distinct_positions},
    {"scatter", 2, "index", distinct_along_dim},
    {"put", 1, "index", distinct_put},
    {"max_unpool1d max_unpool2d max_unpool3d", 1, "indices", distinct_in_plane},
    {"npu_scatter_nd_update", 1, "indices", distinct_positions},
    {"npu_scatter_pa_kv_cache", 4, "slot_mapping", distinct_positions},
    {"_npu_reshape_and_cache", 4, "slot_indices", distinct_positions},
    {"npu_moe_token_unpermute", 1, "sorted_indices", distinct_positions},
    {"npu_moe_finalize_routing", 5, "expanded_src_to_dst_row", distinct_positions},

    // Numbers that the call has no answer for
    {"floor_divide remainder fmod div divide __floordiv__ __ifloordiv__ __mod__ __imod__ __div__ __idiv__", 1, "other",
     without_zero},
    {"__rmod__ __rfloordiv__", 0, "self", without_zero},
    {"hinge_embedding_loss soft_margin_loss", 1, "target", either_end},
    {"cosine_embedding_loss margin_ranking_loss", 2, "target", either_end},

    // Matrices
    {"cholesky cholesky_ex linalg_cholesky linalg_cholesky_ex", 0, "input", positive_definite},
    {"cholesky_inverse", 0, "input", strong_diagonal},
    {"cholesky_solve", 1, "L", strong_diagonal},
    {"_cholesky_solve_helper triangular_solve", 1, "A", strong_diagonal},
    {"solve_triangular linalg_solve_triangular", 0, "A", strong_diagonal},
    {"lu_solve", 1, "LU_data", strong_diagonal},
    {"lu_solve linalg_lu_solve", 0, "LU", strong_diagonal},
    {"ldl_solve linalg_ldl_solve", 1, "pivots", pivots},
};

/// Other words for an argument: the schema's, the function's, and Python's binder's.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"input", "self"},    {"other", "x2"}, {"tensor_indices_or_sections", "indices"},
    {"indices", "index"}, {"L", "input2"}, {"L", "A"},
};

bool is_one_of(std::string_view name, std::string_view names) {
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(' ', begin), names.size());
    if (names.substr(begin, end - begin) == name) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<Place> place_of(const dump::ForwardRecord& call, const Rule& rule) {
  if (auto place = find(call, rule.position, {rule.name})) return place;
  for (const auto& [name, alias] : kAliases)
    if (name == rule.name)
      if (auto place = find(call, kByName, {alias})) return place;
  return std::nullopt;
}

}  // namespace

void make_valid(const dump::Record& record, const BuildContext& context, Arguments& arguments,
                std::vector<std::string>& notes) {
  ValidCall call(record, context, arguments, notes);
  std::string_view name = call.name();
  const bool in_place = name.size() > 1 && name.back() == '_' && name.substr(0, 2) != "__";
  if (in_place) name.remove_suffix(1);
  for (const Rule& rule : kRules)
    if (rule.operators == "*" || is_one_of(name, rule.operators))
      if (const auto place = place_of(record.forward, rule)) rule.apply(call, *place, rule.name);
}

}  // namespace msprobe::inputs
