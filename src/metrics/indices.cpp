// Index outputs: equal values may stand at several places, and any of them is right.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "metrics/assess.h"
#include "metrics/blocks.h"
#include "metrics/compare.h"
#include "metrics/dtype.h"
#include "metrics/status.h"

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

/// The values that one slice of indices selects from.
class Slice {
 public:
  explicit Slice(const at::Tensor& values)
      : values_(values),
        dtype_(dtype_of(values.scalar_type())),
        data_(static_cast<const char*>(values.const_data_ptr())),
        size_(values.size(-1)) {}

  /// Moves to slice `number`, counted over all dimensions but the last.
  void move_to(int64_t number, bool shared) {
    base_ = 0;
    if (shared) return;
    for (int64_t i = values_.dim() - 2; i >= 0; --i) {
      base_ += number % values_.size(i) * values_.stride(i);
      number /= values_.size(i);
    }
  }
  bool holds(int64_t index) const { return index >= 0 && index < size_; }
  bool equal(int64_t a, int64_t b) const {
    const char *x = at(a), *y = at(b);
    if (std::memcmp(x, y, dtype_.bytes) == 0) return true;
    if (dtype_.kind != Kind::kFloat) return false;
    const double p = number(x), q = number(y);
    return p == q || (std::isnan(p) && std::isnan(q));
  }
  int64_t size() const { return size_; }

 private:
  const char* at(int64_t index) const { return data_ + (base_ + index * values_.stride(-1)) * dtype_.bytes; }
  double number(const char* at) const {
    float single;
    double value;
    return *as_double(dtype_, at, 1, &single, &value);
  }
  const at::Tensor& values_;
  const Dtype& dtype_;
  const char* data_;
  const int64_t size_;
  int64_t base_ = 0;
};

struct Tally {
  int64_t ties = 0, other_value = 0, out_of_range = 0, repeated = 0;
  int64_t wrong() const { return other_value + out_of_range + repeated; }
};

/// Indices of one slice that differ, each counted once.
void tally_slice(const int64_t* golden, const int64_t* device, int64_t count, const Slice& slice, bool distinct,
                 Tally& tally) {
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

void add_part(std::string& text, int64_t count, const std::string& what) {
  if (count == 0) return;
  if (!text.empty()) text += ", ";
  text += std::to_string(count) + " " + what;
}

void judge_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
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
  Tally tally;
  for (int64_t i = 0; i < slices; ++i) {
    slice.move_to(i, !dim);
    tally_slice(g + i * along, d + i * along, along, slice, distinct && dim, tally);
  }
  const double rate = static_cast<double>(tally.wrong()) / static_cast<double>(device.numel());
  row[Figure::kBinaryErrorRate] = rate;
  const std::string ties =
      elements_text(tally.ties) + (tally.ties == 1 ? " is a tie" : " are ties") + ": another index, an equal value";
  if (tally.wrong() == 0) {
    return decide(row, Status::kPass,
                  std::string(outcome::kFigureColumns[static_cast<int>(Figure::kBinaryErrorRate)]) + " 0; " + ties);
  }
  std::string parts;
  add_part(parts, tally.other_value, "select another value");
  add_part(parts, tally.out_of_range, "out of range [0, " + std::to_string(slice.size()) + ")");
  add_part(parts, tally.repeated, "repeated where indices must be distinct");
  decide(row, Status::kError,
         against(Figure::kBinaryErrorRate, rate, ">", 0) + ": of " + elements_text(device.numel()) + " " + parts +
             (tally.ties > 0 ? "; " + ties : ""));
}

bool are_integers(const at::Tensor& golden, const at::Tensor& device) {
  if (!golden.defined() || !device.defined() || golden.sizes() != device.sizes() || device.numel() == 0) return false;
  const auto is_integer = [](const at::Tensor& t) { return dtype_of(t.scalar_type()).kind == Kind::kInteger; };
  return is_integer(golden) && is_integer(device);
}

}  // namespace

void compare_indices(const at::Tensor& golden, const at::Tensor& device, const at::Tensor& values,
                     std::optional<int64_t> dim, bool distinct, const CompareContext& context, outcome::Row& row) {
  // Ties come first: what is none is assessed.
  if (!context.assess || !are_integers(golden, device))
    return judge_indices(golden, device, values, dim, distinct, context, row);
  CompareContext status_alone = context;
  status_alone.assess = false;
  judge_indices(golden, device, values, dim, distinct, status_alone, row);
  assess_integers(golden, device, context, "", row);
}

}  // namespace msprobe::metrics
