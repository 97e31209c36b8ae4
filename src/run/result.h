#pragma once

namespace msprobe::run {

/// How a subcommand ended that could begin.
enum class Result {
  kDone,            ///< finished, whatever the verdicts
  kFailed,          ///< finished, and found what --fail-on names
  kCouldNotFinish,  ///< what was done is kept; also when --max-errors left APIs unchecked
  kInterrupted
};

}  // namespace msprobe::run
