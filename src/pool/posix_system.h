// The system that runs use: forked workers, the monotonic clock, poll and this process's signals.
#pragma once
#include <poll.h>

#include <vector>

#include "pool/pool.h"
#include "pool/signals.h"
#include "pool/system.h"

namespace msprobe::pool {

class PosixSystem final : public System {
 public:
  /// `options` must outlive it. Throws Error when the system has no descriptors left.
  explicit PosixSystem(const PoolOptions& options) : options_(options) {}

  std::unique_ptr<Process> spawn(const Place& place) override;
  double now() const override;
  void sleep(double seconds) override;
  bool wait(std::vector<int>& channels, double seconds) override;
  int interruptions() const override { return signals_.interruptions(); }
  int first_signal() const override { return signals_.first(); }
  uint64_t memory_kills() const override;

 private:
  const PoolOptions& options_;
  Signals signals_;
  std::vector<pollfd> fds_;
};

}  // namespace msprobe::pool
