// Arithmetic of valid.h: numbers drawn at random, moved so that they keep a rule. All of it is integer arithmetic on
// the tensor's own words (seed.h), so the results are the same on every host.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "inputs/seed.h"

namespace msprobe::inputs {

/// Elements of a tensor of integers, and back.
std::vector<int64_t> integers_of(const at::Tensor& tensor);
void assign(at::Tensor& tensor, const std::vector<int64_t>& values);

/// Moves `values` to the given sum within [low, high], each in proportion to the room it has; the first and the last
/// stay where the others have room enough. False, and nothing changed, when [low, high] does not reach that sum, or
/// when it is 2^64 or more away.
bool move_to_sum(std::vector<int64_t>& values, int64_t low, int64_t high, int64_t sum);

/// Of n elements the `count` whose words are the largest; an element that a draw turned on has a larger word than one
/// that it did not. `first` and `last` (1: in, 0: out, -1: either) are met where count allows it.
std::vector<bool> choose(const Words& words, int64_t n, int64_t count, int first = -1, int last = -1);

/// n different numbers of [low, high] in random order, made of words `from` and on; n <= high - low + 1.
std::vector<int64_t> distinct_numbers(const Words& words, uint64_t from, int64_t n, int64_t low, int64_t high);

}  // namespace msprobe::inputs
