#pragma once
#include <cstddef>
#include <optional>

#include "config/settings.h"
#include "plan/cost.h"
#include "pool/cpu_budget.h"

namespace msprobe::run {

/// CPU threads for each API of a run (pool/cpu_budget.h). Made before the workers, each of which uses its own copy.
class Threads {
 public:
  /// `costs` must outlive it. `shared`: several workers share the threads.
  Threads(const config::Settings& settings, const plan::CostModel& costs, bool shared);

  /// CPU threads of the run.
  int most() const { return budget_.threads(); }
  /// In a worker, before an API is begun: waits for its threads. Nothing: the worker is going to sleep.
  void prepare(std::optional<size_t> job);
  /// Sets the threads of the calling thread.
  void use(size_t job);
  /// Behind an API.
  void done() { budget_.give_back(); }

 private:
  const plan::CostModel& costs_;
  pool::CpuBudget budget_;
  bool all_, shared_;
  std::optional<size_t> prepared_;
  int count_ = 1, set_ = 0;
};

}  // namespace msprobe::run
