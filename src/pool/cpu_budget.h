// CPU threads of an API, and how workers share the run's threads.
//
// PyTorch's CPU kernels split sums by the number of threads, so the last bits of a result depend on it. Rows must not
// depend on the number of workers: an API gets threads by its record and by --threads alone.
#pragma once
#include "util/descriptor.h"

namespace msprobe::pool {

/// A power of two, or `budget` (--threads) where that is less: one thread for an API of less than kOneThreadSeconds,
/// one for each kSecondsAThread above. Starting and joining threads costs small APIs more than it saves.
int threads_for(double estimated_seconds, int budget);

constexpr double kOneThreadSeconds = 0.020;
constexpr double kSecondsAThread = 0.005;

/// The threads of a run, shared by its workers: who runs an API with several threads takes so many first. Made before
/// the workers are forked; each uses its own copy. What a process has taken is free again when it ends, however it ends
/// (record locks on a file in memory). APIs with one thread take none.
class CpuBudget {
 public:
  /// Without descriptors or memory for it, every take() succeeds: only time is lost then.
  explicit CpuBudget(int threads);
  /// Takes `threads` of them; does nothing when this process holds so many already, gives others back before. False
  /// when they are not free within `patience` seconds; the API is to run all the same. After a false answer the next
  /// calls do not wait, until one succeeds: another worker hangs.
  bool take(int threads, double patience);
  void give_back();
  int threads() const { return threads_; }

 private:
  bool try_take(int threads);

  util::Descriptor slots_;  // byte i stands for thread i
  int threads_, held_ = 0, begin_ = 0;
  bool patient_ = true;
};

}  // namespace msprobe::pool
