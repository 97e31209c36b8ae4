#include "pool/loop.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "pool/devices.h"
#include "pool/dispatcher.h"
#include "pool/inbox.h"
#include "pool/reaper.h"
#include "pool/retries.h"
#include "pool/row_writer.h"
#include "pool/scheduler.h"
#include "pool/slots.h"
#include "util/error.h"

namespace msprobe::pool {
namespace {

constexpr size_t kWindowPerWorker = 64;  // how far the search for dear jobs looks
constexpr size_t kBacklogPerWorker = 4;  // finished outcomes that may wait for an earlier one
constexpr double kPollSeconds = 0.2;
// Outcomes that come fast are fetched several at a time: to wake a sleeping process costs as much as to check a small
// API.
constexpr double kDenseSeconds = 0.5e-3;      // from one to the next
constexpr double kBatch = 4;                  // outcomes; workers have more than that to do
constexpr double kLongestBatching = 0.25e-3;  // seconds
constexpr double kShortestSleep = 20e-6;
constexpr double kLongestTick = 0.5;  // more between two looks at the clock: this process was stopped
constexpr double kGraceSeconds = 1;   // for workers to end in when the run is over

Scheduler scheduler_for(const PoolOptions& options) {
  const size_t workers = options.places.size();
  const bool several = workers > 1;
  return Scheduler(
      options.count, several ? kWindowPerWorker * workers : 2 * kAhead, kBacklogPerWorker * workers,
      several && options.cost ? options.cost : [](size_t) { return 0.0; });
}

class Loop {
 public:
  Loop(const PoolOptions& options, System& system)
      : options_(options),
        system_(system),
        scheduler_(scheduler_for(options)),
        devices_(options.device_type),
        retries_(/*lone=*/options.places.size() == 1),
        slots_(options.places, {options.timeout, options.open_timeout}, scheduler_, devices_),
        dispatcher_(system, scheduler_, slots_),
        inbox_(options.name, scheduler_, slots_, devices_, retries_),
        reaper_(system, options.name, scheduler_, slots_, devices_, retries_),
        rows_(options.write, options.tell, scheduler_, slots_),
        looked_(system.now()) {}

  PoolResult run() {
    PoolResult result;
    try {
      result = run_to_end();
    } catch (const std::bad_alloc&) {
      result = {RunEnd::kCouldNotFinish, "the supervisor is out of memory; free some, then go on", 0, 0};
    } catch (const std::exception& e) {
      result = {RunEnd::kCouldNotFinish, e.what(), 0, 0};
    }
    dismiss_all();
    result.written = scheduler_.written();
    result.signal = system_.first_signal();
    return result;
  }

 private:
  PoolResult run_to_end() {
    if (system_.interruptions() > 0) interrupt();  // noted before
    while (!over()) step();
    if (const std::string why = failure(); !why.empty()) return {RunEnd::kCouldNotFinish, why, 0, 0};
    return {scheduler_.all_written() || rows_.enough() ? RunEnd::kFinished : RunEnd::kInterrupted, "", 0, 0};
  }

  std::string failure() const {
    if (!devices_.failure().empty()) return devices_.failure();
    return no_worker_left_ ? "no worker is left" : "";
  }

  bool over() const {
    if (no_worker_left_ || !devices_.failure().empty() || rows_.enough() || scheduler_.all_written()) return true;
    return system_.interruptions() >= 2 || (interrupted_ && !slots_.busy());
  }

  void step() {
    if (!interrupted_)
      for (auto& slot : slots_) dispatcher_.feed(slot);
    const bool signalled = wait();
    if (system_.interruptions() > 0 && !interrupted_) interrupt();
    for (auto& slot : slots_)
      if (has_news(slot)) hear(slot);
    for (auto& slot : slots_) reap(slot, signalled);
    watch_clocks();
    if (options_.tick) options_.tick();
    no_worker_left_ = slots_.all_gone();
  }

  // For news, which are then in `readable_`. True: a child may have ended.
  bool wait() {
    if (batching_ > kShortestSleep) system_.sleep(batching_);
    batching_ = 0;
    double seconds = kPollSeconds;
    readable_.clear();
    for (const auto& slot : slots_) {
      seconds = std::min(seconds, slot.patience());
      if (!slot.vacant() && slot.worker()->connected()) readable_.push_back(slot.worker()->process().channel());
    }
    return system_.wait(readable_, seconds);
  }

  bool has_news(const Slot& slot) const {
    if (slot.vacant() || !slot.worker()->connected()) return false;
    return std::find(readable_.begin(), readable_.end(), slot.worker()->process().channel()) != readable_.end();
  }

  void hear(Slot& slot) {
    const int frames = inbox_.receive(slot);
    const double now = system_.now();
    const double each = (now - std::exchange(heard_, now)) / std::max(1, frames);
    // A lone worker waits for its row.
    batching_ = slots_.several() && each < kDenseSeconds ? std::min(kBatch * each, kLongestBatching) : 0;
    rows_.write_ready();
  }

  void reap(Slot& slot, bool signalled) {
    const auto status = slot.reap(signalled);
    if (!status) return;
    if (slot.worker()->connected()) hear(slot);  // what it sent before it died
    reaper_.settle(slot, *status, interrupted_);
    rows_.write_ready();
  }

  void watch_clocks() {
    const double now = system_.now();
    // After SIGTSTP and SIGCONT, or a laptop's sleep, the time between is nobody's fault.
    const double passed = std::min(now - std::exchange(looked_, now), kLongestTick);
    for (auto& slot : slots_) slot.advance(passed);
    if ((since_trim_ += passed) <= kPollSeconds) return;
    since_trim_ = 0;
    for (const auto& slot : slots_)
      if (!slot.vacant()) slot.worker()->process().trim_output();
  }

  // What has begun is finished, nothing else is begun.
  void interrupt() {
    interrupted_ = true;
    for (auto& slot : slots_) {
      slots_.requeue_reserved(slot);
      if (slot.vacant()) continue;
      slots_.requeue_unbegun(slot);
      if (!slot.worker()->opened()) slot.kill(std::nullopt);
    }
  }

  void dismiss_all() {
    for (auto& slot : slots_) {
      if (slot.vacant()) continue;
      if (slot.worker()->assigned().empty())
        slot.dismiss();
      else
        slot.kill(std::nullopt);
    }
    const double end = system_.now() + kGraceSeconds;
    for (auto& slot : slots_) {
      if (slot.vacant()) continue;
      while (!slot.worker()->process().reap() && system_.now() < end) await_end();
      slot.vacate();
    }
  }

  void await_end() {
    constexpr double kLook = 0.01;
    std::vector<int> none;
    try {
      system_.wait(none, kLook);
    } catch (const Error&) {
      system_.sleep(kLook);
    }
  }

  const PoolOptions& options_;
  System& system_;
  Scheduler scheduler_;
  Devices devices_;
  Retries retries_;
  Slots slots_;
  Dispatcher dispatcher_;
  Inbox inbox_;
  Reaper reaper_;
  RowWriter rows_;
  std::vector<int> readable_;  // channels
  double looked_;              // at the clock, seconds
  double heard_ = 0;           // from a worker, seconds
  double batching_ = 0;        // seconds to sleep before looking again: outcomes come one after the other
  double since_trim_ = 0;
  bool interrupted_ = false, no_worker_left_ = false;
};

}  // namespace

PoolResult run_loop(const PoolOptions& options, System& system) {
  return Loop(options, system).run();
}

}  // namespace msprobe::pool
