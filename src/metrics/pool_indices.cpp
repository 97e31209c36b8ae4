// Indices of max-pools: equal values of one window may stand at several places, and any of them is right.
#include <cstdlib>
#include <vector>

#include "metrics/compare.h"
#include "metrics/dtype.h"
#include "metrics/index_tally.h"

namespace msprobe::metrics {
namespace {

using outcome::Figure;
using outcome::Status;

/// Flat places of a plane.
class Plane {
 public:
  Plane(at::IntArrayRef input, at::IntArrayRef output, const PoolWindows& windows)
      : input_(input), output_(output), windows_(windows) {}

  /// Whether `index` lies in the window of place `at` of the output, where the golden found `golden`.
  bool in_window(int64_t at, int64_t golden, int64_t index) const {
    for (size_t d = input_.size(); d-- > 0;) {
      const int64_t place = index % input_[d], found = golden % input_[d], out = at % output_[d];
      index /= input_[d];
      golden /= input_[d];
      at /= output_[d];
      if (windows_.ranges.empty() ? std::abs(place - found) >= windows_.extent[d]
                                  : !windows_.ranges[d][static_cast<size_t>(out)].holds(place))
        return false;
    }
    return true;
  }

 private:
  const at::IntArrayRef input_, output_;
  const PoolWindows& windows_;
};

bool fits(const at::Tensor& golden, const at::Tensor& values, const PoolWindows& windows, int64_t plane) {
  if (plane == 0 || golden.dim() != values.dim() || golden.dim() < plane) return false;
  const int64_t lead = golden.dim() - plane;
  if (golden.sizes().slice(0, lead) != values.sizes().slice(0, lead)) return false;
  if (windows.ranges.empty()) return true;
  for (int64_t d = 0; d < plane; ++d)
    if (windows.ranges[static_cast<size_t>(d)].size() != static_cast<size_t>(golden.size(lead + d))) return false;
  return true;
}

void tally_plane(const int64_t* golden, const int64_t* device, int64_t count, const Slice& values, const Plane& plane,
                 IndexTally& tally) {
  for (int64_t i = 0; i < count; ++i) {
    if (golden[i] == device[i]) continue;
    if (!values.holds(device[i]))
      ++tally.out_of_range;
    else if (!values.holds(golden[i]) || !values.equal(golden[i], device[i]))
      ++tally.other_value;
    else if (!plane.in_window(i, golden[i], device[i]))
      ++tally.outside_window;
    else
      ++tally.ties;
  }
}

}  // namespace

void compare_pool_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                          const PoolWindows& windows, const CompareContext& context, outcome::Row& row) {
  compare_tensors(golden, device, context, row);
  const bool differ = row.status == Status::kError && row[Figure::kBinaryErrorRate].value_or(0) > 0;
  if (!differ || context.profile == config::Profile::kMindstudio || !values.defined() || values.numel() == 0) return;
  const auto plane = static_cast<int64_t>(windows.extent.size());
  if (dtype_of(device.scalar_type()).kind != Kind::kInteger || !fits(golden, values, windows, plane)) return;
  const int64_t lead = golden.dim() - plane;
  const at::Tensor g = golden.to(at::kLong).contiguous(), d = device.to(at::kLong).contiguous();
  const at::Tensor flat = values.contiguous().flatten(lead, -1);
  const auto input = values.sizes().slice(static_cast<size_t>(lead)), output = g.sizes().slice(lead);
  const Plane places(input, output, windows);
  int64_t count = 1;
  for (const int64_t n : output) count *= n;
  Slice slice(flat);
  IndexTally tally;
  for (int64_t i = 0; i < g.numel() / count; ++i) {
    slice.move_to(i, /*shared=*/false);
    tally_plane(g.const_data_ptr<int64_t>() + i * count, d.const_data_ptr<int64_t>() + i * count, count, slice, places,
                tally);
  }
  judge_indices(tally, device.numel(), slice.size(), row);
}

}  // namespace msprobe::metrics
