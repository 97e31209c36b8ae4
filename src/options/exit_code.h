// Exit codes (docs/user-guide.md#exit-codes).
#pragma once

namespace msprobe::options {

enum ExitCode : int {
  kOk = 0,              ///< finished, whatever the verdicts
  kFailOn = 1,          ///< finished, and --fail-on found some
  kUsage = 2,           ///< bad usage or unreadable input; nothing was run
  kCouldNotFinish = 3,  ///< what was done is kept; also when --max-errors left APIs unchecked
  kInterrupted = 130,   ///< resumable
};

}  // namespace msprobe::options
