// Rows in the order of the jobs, as soon as they can be written; and the word to a lone worker that waits for them.
#pragma once
#include <functional>

#include "outcome/row.h"
#include "pool/scheduler.h"
#include "pool/slots.h"

namespace msprobe::pool {

class RowWriter {
 public:
  /// See PoolOptions. All must outlive it.
  RowWriter(const std::function<bool(const outcome::ApiOutcome&)>& write,
            const std::function<void(const outcome::ApiOutcome&)>& tell, Scheduler& scheduler, Slots& slots)
      : write_(write), tell_(tell), scheduler_(scheduler), slots_(slots) {}

  /// Writes what can be. Throws what `write` throws.
  void write_ready();
  /// No further row is wanted: `write` has said so.
  bool enough() const { return enough_; }

 private:
  void release_lone_worker(size_t unwritten);

  const std::function<bool(const outcome::ApiOutcome&)>& write_;
  const std::function<void(const outcome::ApiOutcome&)>& tell_;
  Scheduler& scheduler_;
  Slots& slots_;
  bool enough_ = false;
};

}  // namespace msprobe::pool
