// A system whose processes, clock and signals exist only here: a worker does what a test says, at the second that the
// test says, in no time. Processes go by the real queue and the real frames, so that what a loop leaves out (a wake-up,
// a row that a worker waits for) leaves them asleep.
#pragma once
#include <signal.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "outcome/skipped.h"
#include "pool/system.h"

namespace msprobe::pool::test {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What a try of a job comes to.
struct Act {
  enum class Kind {
    kPass,
    kSkip,   ///< with `text`
    kLeave,  ///< SKIP with `text` and `reason`; the process ends, `linger` seconds later
    kDie,    ///< with `status`, `linger` seconds after its channel was closed
    kHang,
    kHangUp,     ///< closes its channel, and lives on
    kGarbage,    ///< writes `text` into its channel, and lives on
    kOverwrite,  ///< of the queue
  };
  Kind kind = Kind::kPass;
  double seconds = 0.001;  ///< until then
  ExitStatus status{};
  double linger = 0;
  std::string text{};
  outcome::Reason reason = outcome::Reason::kSkipped;
  outcome::Stage stage = outcome::Stage::kUnknown;
  bool for_memory = false;  ///< the system killed it for want of memory
  bool held = false;        ///< by a driver: SIGKILL does not end it
};

/// A try of a job, counted from 1: of the job, and in its process.
struct Try {
  uint32_t job;
  int device, number, in_process;
  double time;
};

/// How a process opens its device.
struct Opening {
  enum class Kind { kOpens, kFails, kDies, kHangs, kOpensAndSleeps };
  Kind kind = Kind::kOpens;
  double seconds = 0.1;
  std::string text{};  ///< kOpens: what the device says about itself; kFails: why
  ExitStatus status{true, SIGSEGV};
};

class FakeProcess;

class FakeSystem : public System {
 public:
  // ---- what a test sets
  std::function<Act(const Try&)> act = [](const Try&) { return Act{}; };
  /// Of the how manieth process, on which device.
  std::function<Opening(int number, int device)> opening = [](int, int) { return Opening{}; };
  std::function<void(int number)> before_spawn = [](int) {};  ///< may throw Error
  bool waits_for_rows = false;                                ///< workers do, as a lone one does
  bool tells_of_children = true;                              ///< SIGCHLD arrives

  void at(double time, std::function<void()> action) { actions_.emplace(time, std::move(action)); }
  void raise(int number) {
    if (++interruptions_ == 1) first_signal_ = number;
    signalled_ = true;
  }
  /// Everything stands still, and the clock goes on.
  void stop_for(double seconds);

  // ---- what has happened
  std::vector<Try> tries;
  int spawned = 0;
  uint32_t longest_queue = 0;  ///< behind a job that is being done
  int tries_of(uint32_t job) const {
    int n = 0;
    for (const auto& t : tries) n += t.job == job;
    return n;
  }
  size_t alive() const { return processes_.size(); }

  // ---- System
  std::unique_ptr<Process> spawn(const Place& place) override;
  double now() const override { return now_; }
  void sleep(double seconds) override { advance_to(now_ + seconds); }
  bool wait(std::vector<int>& channels, double seconds) override;
  int interruptions() const override { return interruptions_; }
  int first_signal() const override { return first_signal_; }
  uint64_t memory_kills() const override { return memory_kills_; }

 private:
  friend FakeProcess;
  void keep_readable(std::vector<int>& channels) const;
  double next_event() const;
  void run_event();
  void advance_to(double time);

  double now_ = 0;
  std::multimap<double, std::function<void()>> actions_;
  std::map<int, FakeProcess*> processes_;  ///< by channel
  int interruptions_ = 0, first_signal_ = 0;
  uint64_t memory_kills_ = 0;
  bool signalled_ = false;
};

class FakeProcess : public Process {
 public:
  FakeProcess(FakeSystem& system, int number, const Place& place)
      : system_(system), number_(number), device_(place.device), opening_(system.opening(number, place.device)) {
    system_.processes_[number_] = this;
    if (opening_.kind != Opening::Kind::kHangs) then(opening_.seconds, [this] { open(); });
  }
  ~FakeProcess() override { system_.processes_.erase(number_); }

  JobQueue& queue() override { return queue_; }
  void wake() override {
    if (!asleep_) return;
    asleep_ = false;
    queue_.wake_up();
    then(0, [this] { go_on(); });
  }
  int channel() const override { return closed_ ? -1 : number_; }
  bool receive(FrameReader& reader) override {
    const std::string bytes = std::exchange(sent_, {});
    reader.feed(bytes.data(), bytes.size());
    return !bytes.empty() || !hung_up_;
  }
  void close_channel() override {
    closed_ = true;
    if (asleep_ && !status_) then(0.001, [this] { end({false, 0}); });
  }
  void kill() override {
    if (!held_ && !status_) then(0.001, [this] { end({true, SIGKILL}); });
  }
  std::optional<ExitStatus> reap() override { return status_; }
  bool exiting() const override { return exiting_; }
  std::string last_words() const override { return last_words_; }
  void trim_output() const override {}

  double due() const { return due_; }
  void run() {
    due_ = kNever;
    std::exchange(next_, nullptr)();
  }
  void delay(double seconds) { due_ += seconds; }
  bool readable() const { return !sent_.empty() || hung_up_; }

 private:
  void then(double seconds, std::function<void()> what) {
    due_ = system_.now_ + seconds;
    next_ = std::move(what);
  }

  void open() {
    if (opening_.kind == Opening::Kind::kDies) return end(opening_.status);
    if (opening_.kind == Opening::Kind::kFails) {
      sent_ += encode_text(FrameKind::kFailed, opening_.text);
      return end({false, 0});
    }
    sent_ += encode_text(FrameKind::kReady, opening_.text);
    if (opening_.kind == Opening::Kind::kOpens) go_on();
  }

  // As worker_main does.
  void go_on() {
    if (!job_) job_ = queue_.take();
    if (job_ && !(system_.waits_for_rows && queue_.written() < outcomes_)) return begin();
    queue_.fall_asleep();
    asleep_ = true;
    if (closed_) then(0.001, [this] { end({false, 0}); });
  }

  void begin() {
    const Try t{*job_, device_, system_.tries_of(*job_) + 1, ++tries_, system_.now_};
    system_.tries.push_back(t);
    const Act act = system_.act(t);
    queue_.stage() = act.stage;
    held_ = act.held;
    if (act.kind != Act::Kind::kHang) then(act.seconds, [this, act] { finish(act); });
  }

  void finish(const Act& act) {
    system_.longest_queue = std::max(system_.longest_queue, queue_.size());
    switch (act.kind) {
      case Act::Kind::kPass:
      case Act::Kind::kSkip:
        send(act, /*leaving=*/false);
        return go_on();
      case Act::Kind::kLeave:
        send(act, /*leaving=*/true);
        return then(act.linger, [this] { end({false, 0}); });
      case Act::Kind::kDie:
        return die(act);
      case Act::Kind::kHang:
        return;
      case Act::Kind::kHangUp:
        hung_up_ = true;
        return;
      case Act::Kind::kGarbage:
        sent_ += act.text;
        return;
      case Act::Kind::kOverwrite:
        for (int i = 0; i < 100; ++i) {
          queue_.put(0);
          queue_.take();
        }
        return;
    }
  }

  void send(const Act& act, bool leaving) {
    auto outcome = outcome::skipped_outcome("", act.text, act.reason);
    if (act.kind == Act::Kind::kPass) outcome.forward = outcome::Status::kPass;
    sent_ += encode_outcome(*std::exchange(job_, std::nullopt), leaving, outcome);
    ++outcomes_;
  }

  void die(const Act& act) {
    system_.memory_kills_ += act.for_memory;
    last_words_ = act.text;
    if (act.linger == 0) return end(act.status);
    hung_up_ = exiting_ = true;
    if (act.linger < kNever) then(act.linger, [this, act] { end(act.status); });
  }

  void end(const ExitStatus& status) {
    status_ = status;
    hung_up_ = true;
    asleep_ = false;
    if (system_.tells_of_children) system_.signalled_ = true;
  }

  FakeSystem& system_;
  const int number_, device_;
  const Opening opening_;
  JobQueue queue_;
  std::string sent_, last_words_;
  bool closed_ = false, hung_up_ = false, exiting_ = false, asleep_ = false, held_ = false;
  std::optional<ExitStatus> status_;
  std::optional<uint32_t> job_;
  uint32_t outcomes_ = 0;
  int tries_ = 0;
  double due_ = kNever;
  std::function<void()> next_;
};

inline std::unique_ptr<Process> FakeSystem::spawn(const Place& place) {
  before_spawn(spawned + 1);
  return std::make_unique<FakeProcess>(*this, ++spawned, place);
}

inline void FakeSystem::stop_for(double seconds) {
  now_ += seconds;
  for (auto& [channel, process] : processes_) process->delay(seconds);
  std::multimap<double, std::function<void()>> later;
  for (auto& [time, action] : actions_) later.emplace(time + seconds, std::move(action));
  actions_ = std::move(later);
}

inline double FakeSystem::next_event() const {
  double next = actions_.empty() ? kNever : actions_.begin()->first;
  for (const auto& [channel, process] : processes_) next = std::min(next, process->due());
  return next;
}

inline void FakeSystem::run_event() {
  if (!actions_.empty() && actions_.begin()->first <= now_) {
    const auto action = std::move(actions_.begin()->second);
    actions_.erase(actions_.begin());
    return action();
  }
  for (const auto& [channel, process] : processes_)
    if (process->due() <= now_) return process->run();
}

inline void FakeSystem::advance_to(double time) {
  while (next_event() <= time) {
    now_ = std::max(now_, next_event());
    run_event();
  }
  now_ = std::max(now_, time);
}

inline void FakeSystem::keep_readable(std::vector<int>& channels) const {
  std::erase_if(channels, [&](int channel) { return !processes_.at(channel)->readable(); });
}

inline bool FakeSystem::wait(std::vector<int>& channels, double seconds) {
  const std::vector<int> all = channels;
  const double end = now_ + std::max(seconds, 0.001);
  if (end > 1e5) throw std::logic_error("the loop waits for what never comes");
  for (;;) {
    channels = all;
    keep_readable(channels);
    if (signalled_ || !channels.empty()) return std::exchange(signalled_, false);
    const double next = next_event();
    if (next > end) break;
    now_ = std::max(now_, next);
    run_event();
  }
  now_ = std::max(now_, end);
  return false;
}

}  // namespace msprobe::pool::test
