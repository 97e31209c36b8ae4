// What workers say, and what follows from it for their slots, their devices and the rows.
#pragma once
#include <functional>
#include <string>

#include "pool/devices.h"
#include "pool/retries.h"
#include "pool/scheduler.h"
#include "pool/slots.h"

namespace msprobe::pool {

class Inbox {
 public:
  /// All must outlive it. `name`: the API of a job.
  Inbox(const std::function<std::string(size_t)>& name, Scheduler& scheduler, Slots& slots, Devices& devices,
        Retries& retries)
      : name_(name), scheduler_(scheduler), slots_(slots), devices_(devices), retries_(retries) {}

  /// Reads and handles all that the worker of `slot`, which is connected, has sent. A worker that says what none says
  /// is killed. The number of frames.
  int receive(Slot& slot);

 private:
  void handle(Slot& slot, const Frame& frame);
  void handle_ready(Slot& slot, std::string_view description);
  void handle_failed(Slot& slot, std::string_view why);
  void handle_outcome(Slot& slot, OutcomeMessage message);

  const std::function<std::string(size_t)>& name_;
  Scheduler& scheduler_;
  Slots& slots_;
  Devices& devices_;
  Retries& retries_;
};

}  // namespace msprobe::pool
