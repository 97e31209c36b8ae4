// The comparison of the two sides, and of the device with what the dump recorded: rows and Status of an API.
#pragma once
#include "check/replay.h"

namespace msprobe::check {

/// The rows of the outputs, and Forward Test Success.
void compare_forward(Replay& replay);
/// The rows of the inputs' gradients, and Backward Test Success; nothing where no backward was recorded.
void compare_backward(Replay& replay);
/// Real data: how far the replay's outputs are from the recorded ones, in Message and in recorded_ulp. An error that
/// the training run saw and the replay does not show is news.
void compare_with_record(Replay& replay);

}  // namespace msprobe::check
