#pragma once

namespace msprobe::run {

enum class RunEnd {
  kFinished,
  kStopped,  ///< after --max-errors errors, with APIs left
  kCouldNotFinish,
  kInterrupted
};

}  // namespace msprobe::run
