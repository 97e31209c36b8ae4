#include "inputs/adjust.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace msprobe::inputs {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

uint64_t below(uint64_t word, uint64_t limit) {
  return static_cast<uint64_t>(Uint128{word} * limit >> 64);
}

/// values[begin, end) up (sign 1) or down (-1) by `distance` in all; false when there is not that much room.
bool move(std::vector<int64_t>& values, size_t begin, size_t end, int64_t low, int64_t high, int sign,
          uint64_t distance) {
  const auto room_of = [&](int64_t value) {
    const int64_t bound = sign > 0 ? high : low;
    const bool inside = sign > 0 ? value < bound : value > bound;
    return inside ? static_cast<uint64_t>(sign) * (static_cast<uint64_t>(bound) - static_cast<uint64_t>(value)) : 0;
  };
  Uint128 room = 0;
  for (size_t i = begin; i < end; ++i) room += room_of(values[i]);
  if (room < distance) return false;
  if (distance == 0) return true;
  uint64_t left = distance;
  for (size_t i = begin; i < end; ++i) {
    const auto step = static_cast<uint64_t>(Uint128{room_of(values[i])} * distance / room);
    // A step may be longer than an int64, its end is within one: unsigned arithmetic wraps to it.
    values[i] = static_cast<int64_t>(static_cast<uint64_t>(values[i]) + static_cast<uint64_t>(sign) * step);
    left -= step;
  }
  for (size_t i = begin; i < end && left > 0; ++i) {
    if (room_of(values[i]) == 0) continue;
    values[i] += sign;
    --left;
  }
  return true;
}

/// The word of rank `count` (from 1) among those of [begin, end), found 16 bits at a time: no list of all is kept,
/// since masks may be large. No two words are equal (seed.h: mix64 is one to one).
uint64_t nth_largest(const Words& words, int64_t begin, int64_t end, int64_t count) {
  uint64_t prefix = 0;
  std::vector<int64_t> held(size_t{1} << 16);
  for (int shift = 48; shift >= 0; shift -= 16) {
    std::fill(held.begin(), held.end(), 0);
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t word = words(static_cast<uint64_t>(i));
      if (shift == 48 || word >> (shift + 16) == prefix) ++held[word >> shift & 0xFFFF];
    }
    uint64_t digit = 0xFFFF;
    for (; held[digit] < count; --digit) count -= held[digit];
    prefix = prefix << 16 | digit;
  }
  return prefix;
}

}  // namespace

std::vector<int64_t> integers_of(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.detach().to(at::kLong).contiguous();
  const auto* const data = static_cast<const int64_t*>(wide.data_ptr());
  return {data, data + wide.numel()};
}

void assign(at::Tensor& tensor, const std::vector<int64_t>& values) {
  at::Tensor wide = at::empty(tensor.sizes(), at::TensorOptions().dtype(at::kLong));
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(wide.data_ptr()));
  tensor.copy_(wide);
}

bool move_to_sum(std::vector<int64_t>& values, int64_t low, int64_t high, int64_t sum) {
  std::vector<int64_t> moved = values;
  for (int64_t& value : moved) value = std::clamp(value, low, high);
  const Int128 distance = sum - std::accumulate(moved.begin(), moved.end(), Int128{0});
  const int sign = distance < 0 ? -1 : 1;
  if (sign * distance > std::numeric_limits<uint64_t>::max()) return false;
  const auto magnitude = static_cast<uint64_t>(sign * distance);
  const size_t n = moved.size();
  const bool inner = n > 2 && move(moved, 1, n - 1, low, high, sign, magnitude);
  if (!inner && !move(moved, 0, n, low, high, sign, magnitude)) return false;
  values = std::move(moved);
  return true;
}

std::vector<bool> choose(const Words& words, int64_t n, int64_t count, int first, int last) {
  std::vector<bool> chosen(static_cast<size_t>(n), false);
  if (n < 2) first = last = -1;
  int64_t wanted = count;
  for (const int end : {first, last}) wanted -= end == 1;
  const int64_t free = n - (first >= 0) - (last >= 0);
  if (wanted < 0 || wanted > free) {
    first = last = -1;
    wanted = count;
  }
  const int64_t begin = first >= 0 ? 1 : 0, end = last >= 0 ? n - 1 : n;
  if (wanted > 0) {
    const uint64_t least = nth_largest(words, begin, end, wanted);
    for (int64_t i = begin; i < end; ++i) chosen[static_cast<size_t>(i)] = words(static_cast<uint64_t>(i)) >= least;
  }
  if (first == 1) chosen.front() = true;
  if (last == 1) chosen.back() = true;
  return chosen;
}

std::vector<int64_t> distinct_numbers(const Words& words, uint64_t from, int64_t n, int64_t low, int64_t high) {
  const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);  // numbers less one
  const auto wanted = static_cast<size_t>(n);
  std::vector<int64_t> numbers;
  if (span / 4 < wanted) {  // few numbers: the head of a shuffle of all
    numbers.resize(static_cast<size_t>(span) + 1);
    std::iota(numbers.begin(), numbers.end(), low);
    for (size_t i = 0; i < wanted; ++i) std::swap(numbers[i], numbers[i + below(words(from + i), numbers.size() - i)]);
    numbers.resize(wanted);
  } else {  // many: drawn again where taken
    std::unordered_set<uint64_t> taken;
    for (size_t i = 0; i < wanted; ++i) {
      uint64_t word = words(from + i);
      while (!taken.insert(below(word, span + 1)).second) word = mix64(word + kGoldenGamma);
      numbers.push_back(static_cast<int64_t>(static_cast<uint64_t>(low) + below(word, span + 1)));
    }
  }
  return numbers;
}

}  // namespace msprobe::inputs
