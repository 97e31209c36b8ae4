// How long a worker has been at what it does: opening its device, doing an API, not beginning one.
#pragma once
#include <cstdint>
#include <optional>

#include "pool/death.h"
#include "pool/worker.h"

namespace msprobe::pool {

/// Seconds; 0: any.
struct Limits {
  double api = 600;   ///< that an API may take
  double open = 600;  ///< that opening the device may take
};

class WorkClock {
 public:
  explicit WorkClock(const Limits& limits) : limits_(limits) {}

  void restart() { elapsed_ = 0; }
  /// Lets `passed` seconds of `worker` go by. What it is to be killed for, if anything: beyond a limit, or its queue is
  /// not as its supervisor left it.
  std::optional<Death> advance(const Worker& worker, double passed);
  /// Seconds until a limit is reached; infinite without one.
  double left(const Worker& worker) const;

 private:
  std::optional<Death> advance_api(const Worker& worker, double passed);

  Limits limits_;
  double elapsed_ = 0;       ///< of opening, or of the API at hand
  double idle_ = 0;          ///< of not beginning a job
  uint32_t api_number_ = 0;  ///< the worker's how manieth API `elapsed_` is of
};

}  // namespace msprobe::pool
