#pragma once

namespace msprobe::run {

enum class RunEnd { kFinished, kCouldNotFinish, kInterrupted };

}  // namespace msprobe::run
