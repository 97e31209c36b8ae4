// The ranges of all calls of a dump, as values that a screen or a report can draw.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/api_name.h"
#include "dump/index.h"
#include "overview/range.h"

namespace msprobe::overview {

struct Call {
  std::string api;  ///< without direction
  dump::Direction direction = dump::Direction::kForward;
  std::vector<Range> inputs, outputs;  ///< of a backward: gradients of the call's outputs, gradients of its inputs
  std::string fault;                   ///< why the record cannot be read; nothing else is known then
};

struct Survey {
  std::vector<Call> forward, backward;  ///< each in call order
};

/// Of the APIs whose name `wanted` takes; all of them are parsed. Throws ChangedError.
Survey survey(const dump::Index& index, const std::function<bool(std::string_view api)>& wanted);

/// Largest absolute value of all tensors that the call gave; nothing: unknown.
std::optional<double> largest_output(const Call& call);

/// Least and largest over all floating tensors and numbers, else over those of integers, "-1.72 .. 1e+08"; "" where
/// nothing is known.
std::string range_text(const std::vector<Range>& ranges);

}  // namespace msprobe::overview
