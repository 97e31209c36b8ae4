#include "metrics/pair_view.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace msprobe::metrics {
namespace {

struct Dim {
  int64_t size, golden, device;  ///< strides of the two sides
};
using Dims = c10::SmallVector<Dim, 6>;

Dims moving_axes(const at::Tensor& golden, const at::Tensor& device) {
  Dims dims;
  for (int64_t i = 0; i < device.dim(); ++i) {
    if (device.size(i) != 1) dims.push_back({device.size(i), golden.stride(i), device.stride(i)});
  }
  return dims;
}

/// numpy's comparison of two axes: should `outer`, which stands before `inner`, come after it? Each operand that moves
/// along both has a say; the index order wins where they disagree.
bool swap_axes(const Dim& outer, const Dim& inner) {
  bool swap = false, undecided = true;
  const auto vote = [&](int64_t out, int64_t in) {
    if (out == 0 || in == 0) return;
    if (std::abs(in) <= std::abs(out)) {
      swap = false;
    } else if (undecided) {
      swap = true;
    }
    undecided = false;
  };
  vote(outer.device, inner.device);
  vote(outer.golden, inner.golden);
  return swap;
}

/// True when no operand moves along both axes, so that nothing can be said.
bool incomparable(const Dim& a, const Dim& b) {
  return (a.device == 0 || b.device == 0) && (a.golden == 0 || b.golden == 0);
}

/// Insertion from the back, as numpy does it: an axis moves outwards past those that it must enclose. True when one
/// moved.
bool sort_by_memory(Dims& dims) {
  bool moved = false;
  const int count = static_cast<int>(dims.size());
  for (int i = count - 2; i >= 0; --i) {
    int to = i;
    for (int j = i + 1; j < count; ++j) {
      if (incomparable(dims[i], dims[j])) continue;
      if (!swap_axes(dims[i], dims[j])) break;
      to = j;
    }
    if (to == i) continue;
    std::rotate(dims.begin() + i, dims.begin() + i + 1, dims.begin() + to + 1);
    moved = true;
  }
  return moved;
}

/// Axes that continue each other on both sides are one; there is always one.
Dims joined(const Dims& dims) {
  Dims joined;
  for (const Dim& dim : dims) {
    if (!joined.empty() && joined.back().golden == dim.golden * dim.size &&
        joined.back().device == dim.device * dim.size) {
      joined.back() = {joined.back().size * dim.size, dim.golden, dim.device};
    } else {
      joined.push_back(dim);
    }
  }
  if (joined.empty()) joined.push_back({1, 1, 1});
  return joined;
}

/// Are a side's own strides those of a dense block, whatever the other side's are?
template <class Extents>
bool is_dense(const Extents& sizes, const Extents& strides) {
  int64_t dense = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (strides[i] != dense) return false;
    dense *= sizes[i];
  }
  return true;
}

template <class Word>
void copy_strided(const char* from, int64_t stride, int64_t count, char* to) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * sizeof(Word), from + i * stride * sizeof(Word), sizeof(Word));
}

struct Sixteen {
  char bytes[16];
};

}  // namespace

PairView::PairView(const at::Tensor& golden, const at::Tensor& device, Order order) : elements_(device.numel()) {
  Dims dims = moving_axes(golden, device);
  if (order == Order::kMemory) row_major_ = !sort_by_memory(dims);
  golden_.data = static_cast<const char*>(golden.const_data_ptr());
  golden_.bytes = golden.element_size();
  device_.data = static_cast<const char*>(device.const_data_ptr());
  device_.bytes = device.element_size();
  for (const Dim& dim : joined(dims)) {
    sizes_.push_back(dim.size);
    golden_.strides.push_back(dim.golden);
    device_.strides.push_back(dim.device);
  }
  for (Side* side : {&golden_, &device_}) side->flat = is_dense(sizes_, side->strides);
}

const void* PairView::read(const Side& side, int64_t begin, int64_t count, void* scratch) const {
  if (side.flat) return side.data + begin * side.bytes;
  gather(side, begin, count, static_cast<char*>(scratch));
  return scratch;
}

void PairView::gather(const Side& side, int64_t begin, int64_t count, char* out) const {
  const int last = static_cast<int>(sizes_.size()) - 1;
  std::vector<int64_t> index(sizes_.size());
  int64_t offset = 0, rest = begin;
  for (int i = last; i >= 0; --i) {
    index[i] = rest % sizes_[i];
    rest /= sizes_[i];
    offset += index[i] * side.strides[i];
  }
  const int64_t stride = side.strides[last];
  while (count > 0) {
    const int64_t run = std::min(count, sizes_[last] - index[last]);
    const char* from = side.data + offset * side.bytes;
    switch (stride == 1 ? 0 : side.bytes) {
      case 0:
        std::memcpy(out, from, run * side.bytes);
        break;
      case 1:
        copy_strided<char>(from, stride, run, out);
        break;
      case 2:
        copy_strided<uint16_t>(from, stride, run, out);
        break;
      case 4:
        copy_strided<uint32_t>(from, stride, run, out);
        break;
      case 8:
        copy_strided<uint64_t>(from, stride, run, out);
        break;
      default:
        copy_strided<Sixteen>(from, stride, run, out);
        break;
    }
    out += run * side.bytes;
    count -= run;
    index[last] += run;
    offset += run * stride;
    for (int i = last; i > 0 && index[i] == sizes_[i]; --i) {
      offset += side.strides[i - 1] - index[i] * side.strides[i];
      index[i] = 0;
      ++index[i - 1];
    }
  }
}

}  // namespace msprobe::metrics
