// Index outputs: equal values may stand at several places, and any of them is right.
#include <algorithm>
#include <vector>

#include "metrics/compare.h"
#include "metrics/dtype.h"
#include "metrics/index_tally.h"

namespace msprobe::metrics {
namespace {

using outcome::Figure;
using outcome::Status;

/// Index tensors with the dimension that the indices run along last, and the values with it last too.
struct Places {
  at::Tensor golden, device;  ///< int64, dense
  at::Tensor values;          ///< same sizes but for the last
};

std::optional<Places> arrange(at::Tensor golden, at::Tensor device, at::Tensor values, std::optional<int64_t> dim) {
  if (!dim) {
    golden = golden.reshape(-1);
    device = device.reshape(-1);
    values = values.reshape(-1);
    // Every index is a slice of its own: each may select from all values.
    return Places{golden.to(at::kLong).unsqueeze(-1), device.to(at::kLong).unsqueeze(-1), values};
  }
  if (values.dim() == 0) values = values.unsqueeze(0);
  int64_t along = *dim < 0 ? *dim + values.dim() : *dim;
  if (along < 0 || along >= values.dim()) return std::nullopt;
  if (golden.dim() == values.dim() - 1) {
    golden = golden.unsqueeze(along);
    device = device.unsqueeze(along);
  }
  if (golden.dim() != values.dim()) return std::nullopt;
  for (int64_t i = 0; i < values.dim(); ++i) {
    if (i != along && golden.size(i) != values.size(i)) return std::nullopt;
  }
  return Places{golden.movedim(along, -1).to(at::kLong).contiguous(),
                device.movedim(along, -1).to(at::kLong).contiguous(), values.movedim(along, -1)};
}

/// Indices of one slice that differ, each counted once.
void tally_slice(const int64_t* golden, const int64_t* device, int64_t count, const Slice& slice, bool distinct,
                 IndexTally& tally) {
  if (std::equal(golden, golden + count, device)) return;
  std::vector<int64_t> repeated;
  if (distinct) {
    std::vector<int64_t> sorted(device, device + count);
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 1; i < count; ++i) {
      if (sorted[i] == sorted[i - 1]) repeated.push_back(sorted[i]);
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    if (golden[i] == device[i]) continue;
    if (!slice.holds(device[i])) {
      ++tally.out_of_range;
    } else if (std::binary_search(repeated.begin(), repeated.end(), device[i])) {
      ++tally.repeated;
    } else if (slice.holds(golden[i]) && slice.equal(golden[i], device[i])) {
      ++tally.ties;
    } else {
      ++tally.other_value;
    }
  }
}

}  // namespace

void compare_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                     std::optional<int64_t> dim, bool distinct, const CompareContext& context, outcome::Row& row) {
  compare_tensors(golden, device, context, row);
  const bool differ = row.status == Status::kError && row[Figure::kBinaryErrorRate].value_or(0) > 0;
  if (!differ || context.profile == config::Profile::kMindstudio || !values.defined() || values.numel() == 0) return;
  if (dtype_of(device.scalar_type()).kind != Kind::kInteger) return;
  const auto places = arrange(golden, device, values, dim);
  if (!places) return;

  const int64_t along = places->device.size(-1), slices = places->device.numel() / along;
  const auto *g = places->golden.const_data_ptr<int64_t>(), *d = places->device.const_data_ptr<int64_t>();
  Slice slice(places->values);
  IndexTally tally;
  for (int64_t i = 0; i < slices; ++i) {
    slice.move_to(i, !dim);
    tally_slice(g + i * along, d + i * along, along, slice, distinct && dim, tally);
  }
  judge_indices(tally, device.numel(), slice.size(), row);
}

}  // namespace msprobe::metrics
