#pragma once

namespace msprobe::pool {

enum class RunEnd {
  kFinished,
  kStopped,  ///< after --max-errors errors, with APIs left
  kCouldNotFinish,
  kInterrupted
};

}  // namespace msprobe::pool
