// The work of a worker, as a seam: the real one opens a device and checks APIs, tests put in what crashes and hangs.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "outcome/row.h"
#include "outcome/stage.h"

namespace msprobe::pool {

/// Where a worker stands.
struct Place {
  int device = 0;                       ///< index of the device
  outcome::StageCell* stage = nullptr;  ///< where a worker says what it is doing; null outside one
};

/// Made and used in the worker's process alone.
struct Checker {
  /// The first part of job `i`, which a kill may cause to be done once more: the row of the job before may still be on
  /// its way to the files. May throw, crash, hang as check may. May be empty.
  std::function<void(size_t i)> rebuild;
  /// Checks job `i`. May throw, crash, hang: that API is SKIP with the reason.
  std::function<outcome::ApiOutcome(size_t i)> check;
  /// Asked after an API that was SKIP: false when the device is lost to this process. Empty: always healthy.
  std::function<bool()> healthy;
  /// Called before job `i` is begun, so that waiting here does not count as the job's time; a few seconds at most. The
  /// job may be taken away meanwhile. Nothing: there is no job, the worker is going to sleep. May be empty.
  std::function<void(std::optional<size_t> i)> prepare;
  std::vector<std::string> description;  ///< lines about the device, for the log
};

/// Opens a device; throws (Error with the remedy) when it cannot be opened.
using OpenChecker = std::function<Checker(const Place&)>;

}  // namespace msprobe::pool
