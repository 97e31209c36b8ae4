// What is done about a process that has ended: its API gets a second try or its row, its other jobs are requeued, its
// device or its slot may be at fault.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "pool/retries.h"
#include "pool/slots.h"
#include "pool/system.h"

namespace msprobe::pool {

class Reaper {
 public:
  /// All must outlive it. `name`: the API of a job.
  Reaper(const System& system, const std::function<std::string(size_t)>& name, Scheduler& scheduler, Slots& slots,
         Devices& devices, Retries& retries)
      : system_(system), name_(name), scheduler_(scheduler), slots_(slots), devices_(devices), retries_(retries) {}

  /// Vacates `slot`, whose process has ended with `status` and has been heard to its end. `interrupted`: nothing is to
  /// be begun any more.
  void settle(Slot& slot, const ExitStatus& status, bool interrupted);

 private:
  Death cause_of(const Life& over, const ExitStatus& status, uint32_t running) const;
  void requeue_others(Slot& slot, const Life& over, uint32_t running, bool interrupted);
  void settle_unopened(Slot& slot, const Life& over, const Death& death);
  void settle_running(Slot& slot, const Life& over, const Death& death, uint32_t job, bool interrupted);
  bool hand_over(uint32_t job, int device);

  const System& system_;
  const std::function<std::string(size_t)>& name_;
  Scheduler& scheduler_;
  Slots& slots_;
  Devices& devices_;
  Retries& retries_;
};

}  // namespace msprobe::pool
