#include "fault_values.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim_npu {
namespace {

// The element of that number, counted in the order of indices, whatever the strides.
at::Tensor element(at::Tensor t, int64_t number) {
  for (int64_t d = t.dim() - 1, left = number; d >= 0; --d) {
    const int64_t index = left % t.size(d);
    left /= t.size(d);
    t = t.select(d, index);
  }
  return t;
}

void flip(const at::Tensor& one, int bit) {
  const int bits = static_cast<int>(one.element_size()) * 8;
  if (bit < 0) bit = one.scalar_type() == at::kBool ? 0 : bits - 2;
  TORCH_CHECK(bit < bits, "simulated fault: bit ", bit, " of an element of ", bits, " bits");
  static_cast<uint8_t*>(one.data_ptr())[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
}

// One unit in the last place of numbers from 1 to 2.
double epsilon(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kFloat8_e4m3fn:
      return std::ldexp(1.0, -3);
    case at::kFloat8_e5m2:
      return std::ldexp(1.0, -2);
    case at::kBFloat16:
      return std::ldexp(1.0, -7);
    case at::kHalf:
      return std::ldexp(1.0, -10);
    case at::kFloat:
      return std::ldexp(1.0, -23);
    case at::kDouble:
      return std::ldexp(1.0, -52);
    default:
      TORCH_CHECK(false, "simulated fault: no unit in the last place of ", dtype);
  }
}

void multiply(const at::Tensor& t, double factor) {
  const bool float8 = t.element_size() == 1;  // has no arithmetic
  t.copy_(float8 ? t.to(at::kFloat).mul(factor).to(t.scalar_type()) : t.mul(factor));
}

void swap_first_rows(const at::Tensor& t) {
  if (t.dim() == 0 || t.size(0) < 2) return;
  const at::Tensor first = t.select(0, 0).clone();
  t.select(0, 0).copy_(t.select(0, 1));
  t.select(0, 1).copy_(first);
}

void change_part(const Fault& f, const at::Tensor& t) {
  if (f.kind == Kind::kBitFlip) {
    if (t.dim() == 0) flip(t, f.bit);
    return;
  }
  if (!has_fractions(t)) return;
  switch (f.kind) {
    case Kind::kRelativeError:
      return multiply(t, 1 + f.size);
    case Kind::kUlpError:
      return multiply(t, 1 + f.size * epsilon(t.scalar_type()));
    case Kind::kZero:
      t.zero_();
      return;
    case Kind::kSwapRows:
      return swap_first_rows(t);
    case Kind::kNan:
      t.fill_(std::numeric_limits<double>::quiet_NaN());
      return;
    default:
      return;
  }
}

at::Tensor last_of(at::Tensor t, int64_t share) {
  for (int64_t d = 0; d < t.dim(); ++d) {
    const int64_t count = std::max<int64_t>(1, t.size(d) / share);
    t = t.narrow(d, t.size(d) - count, count);
  }
  return t;
}

// The second quarter of the last two dimensions, in the first plane.
at::Tensor block_of(at::Tensor t) {
  for (int64_t d = 0; d < t.dim(); ++d) {
    const bool of_plane = d >= t.dim() - 2;
    t = of_plane ? t.narrow(d, t.size(d) / 4, std::max<int64_t>(1, t.size(d) / 4)) : t.narrow(d, 0, 1);
  }
  return t;
}

// `t` is contiguous and has elements.
at::Tensor part_of(const at::Tensor& t, Region region) {
  switch (region) {
    case Region::kTail:
      return last_of(t.view({-1}), 100);
    case Region::kColumns:
      return t.dim() == 0 ? t : t.slice(-1, 0, t.size(-1), 16);
    case Region::kBlock:
      return block_of(t);
    case Region::kCorner:
      return last_of(t, 4);
    default:
      return t;
  }
}

}  // namespace

bool has_fractions(const at::Tensor& t) {
  return at::isFloatingType(t.scalar_type()) || at::isComplexType(t.scalar_type());
}

void change_values(const Fault& f, const at::Tensor& t, uint64_t call) {
  const int64_t n = t.numel();
  if (n == 0) return;
  const bool whole = f.kind == Kind::kSwapRows || f.region != Region::kNone || f.elements == 0;
  if (whole && f.kind != Kind::kBitFlip) {
    const at::Tensor changed = t.clone(at::MemoryFormat::Contiguous);
    change_part(f, part_of(changed, f.region));
    t.copy_(changed);
    return;
  }
  const int64_t wanted = f.elements == 0 ? n : std::min(f.elements, n);
  const uint64_t first = mixed(plan().seed ^ f.salt ^ mixed(call ^ 0x5EED)) % static_cast<uint64_t>(n);
  for (int64_t k = 0; k < wanted; ++k)  // neighbours, so that none is hit twice
    change_part(f, element(t, static_cast<int64_t>((first + static_cast<uint64_t>(k)) % static_cast<uint64_t>(n))));
}

at::Tensor without_last_row(const at::Tensor& t) {
  if (t.dim() > 0 && t.size(0) > 0) return t.narrow(0, 0, t.size(0) - 1).clone();
  return t.unsqueeze(0).clone();
}

}  // namespace sim_npu
