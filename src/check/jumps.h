// Elements within one rounding error of a jump: on which side of it the device is
// (docs/execution.md#functions-that-jump).
#pragma once
#include <optional>
#include <string>

#include "check/called.h"
#include "check/rebuilt.h"
#include "check/session.h"

namespace msprobe::check {

/// A golden some of whose elements are taken from the other side of a jump.
struct BesideJumps {
  at::Tensor golden;
  std::string note;  ///< "3 of 224 elements within one rounding error of a jump are taken from its other side"
};

/// Its note; empty where none is moved.
std::string jump_note(int64_t moved, int64_t elements);

/// For an output, or a gradient of leaf `i`, that did not pass: the golden on the device's side of each jump; nullopt:
/// the call has no jump that explains a difference. No element becomes anything but what the golden gives for inputs
/// one rounding error away. Runs the golden again. Throws what it throws.
std::optional<BesideJumps> output_beside_jumps(const Session& session, const Rebuilt& rebuilt, const Called& called,
                                               size_t i);
std::optional<BesideJumps> gradient_beside_jumps(const Session& session, const Rebuilt& rebuilt, const Called& called,
                                                 size_t i);

}  // namespace msprobe::check
