// Small pieces of Python that the adaptors are written with.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/value.h"
#include "ops/registry.h"

namespace msprobe::ops {

using inputs::Ellipsis;
using inputs::List;
using inputs::None;
using inputs::Opaque;
using inputs::Slice;

/// A list (Python's tuple as well) of these items.
Value list_of(std::vector<Value> items);
Value list_of(const std::vector<int64_t>& items);
Value list_of(at::IntArrayRef items);
Value list_of(std::initializer_list<int64_t> items);

/// Item `i` of an operator's several results, or of a list argument. NoMatch when it is not there or no tensor.
at::Tensor tensor_at(const Value& list, size_t i);

/// One value for each of `n` dimensions: a list of n as it is, anything else n times. NoMatch for a list of other
/// length.
std::vector<Value> for_each_dim(const Value& value, size_t n, std::string_view what);

/// A Python number (numpy's too) or a tensor of one element as double; NoMatch naming `what` otherwise.
double as_double(const Value& value, std::string_view what);
int64_t as_integer(const Value& value, std::string_view what);

/// `f(a, b, c)` and `f([a, b, c])`: the one list that is meant.
Value packed(const Arguments& arguments);

/// "none", "mean", "sum" (or what else was given) as torch.nn.functional decides: `size_average` and `reduce`, where
/// one of them is not None, overrule `reduction`. `call` declares the three, or `reduction` alone.
std::string reduction_of(const PythonCall& call);
/// The number that ATen's losses take for it; NoMatch for anything but the three words.
int64_t reduction_number(std::string_view reduction);
/// mean(loss), sum(loss) or loss itself.
at::Tensor reduced(const at::Tensor& loss, std::string_view reduction);

}  // namespace msprobe::ops
