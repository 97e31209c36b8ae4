#include "pool/pool.h"

#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "outcome/skipped.h"
#include "pool/death.h"
#include "pool/retries.h"
#include "pool/scheduler.h"
#include "pool/seat.h"
#include "pool/signals.h"
#include "pool/worker_process.h"
#include "util/error.h"

namespace msprobe::pool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kAhead = 16;            // jobs given to a lone worker: the round trip costs nothing then
constexpr size_t kAheadShared = 16;      // ... and to one of several, while their estimated time is below
constexpr double kAheadSeconds = 0.002;  // this: others must not wait for what stands behind a long job
constexpr size_t kAheadAlways = 2;       // whatever they take: a worker would be idle from one long job to the next
constexpr size_t kWindowPerWorker = 64;  // how far the search for dear jobs looks
constexpr size_t kBacklogPerWorker = 4;  // finished outcomes that may wait for an earlier one
constexpr double kPollSeconds = 0.2;
// Outcomes that come fast are fetched by the handful: to wake a sleeping process costs as much as to check a small API.
constexpr double kDenseSeconds = 0.5e-3;     // from one to the next
constexpr double kHandful = 4;               // outcomes; workers have more than that to do
constexpr double kHandfulSeconds = 0.25e-3;  // at most
constexpr double kShortestSleep = 20e-6;
constexpr double kLongestTick = 0.5;    // more between two looks at the clock: this process was stopped
constexpr double kFailurePause = 0.05;  // times the number of failures: before a device is opened again
constexpr int kSeatFailures = 3;        // in a row, while others work on the device: it has no room for this worker

struct DeviceState {
  bool opened = false;     // ever
  bool described = false;  // in the log
  int failures = 0;        // in a row
  bool given_up = false;   // no further work
};

class Pool {
 public:
  explicit Pool(const PoolOptions& options)
      : o_(options),
        shared_(options.places.size() > 1),
        scheduler_(
            options.count, shared_ ? kWindowPerWorker * options.places.size() : 2 * kAhead,
            kBacklogPerWorker * options.places.size(),
            shared_ && options.cost ? options.cost : [](size_t) { return 0.0; }),
        retries_(!shared_),
        limits_{options.timeout, options.open_timeout} {
    for (const auto& place : options.places) seats_.emplace_back(place);
  }

  PoolResult run() {
    PoolResult result;
    try {
      if (signals_.interruptions() > 0) interrupt();  // noted before
      while (!over()) step();
      if (!failure_.empty())
        result = {RunEnd::kCouldNotFinish, failure_, 0, 0};
      else if (!scheduler_.all_written() && !enough_)
        result.end = RunEnd::kInterrupted;
    } catch (const std::bad_alloc&) {
      result = {RunEnd::kCouldNotFinish, "the supervisor is out of memory; free some, then go on", 0, 0};
    } catch (const std::exception& e) {
      result = {RunEnd::kCouldNotFinish, e.what(), 0, 0};
    }
    send_home();
    result.written = scheduler_.written();
    result.signal = signals_.first();
    return result;
  }

 private:
  bool over() const {
    if (!failure_.empty() || enough_ || scheduler_.all_written()) return true;
    if (signals_.interruptions() >= 2) return true;
    return interrupted_ && std::none_of(seats_.begin(), seats_.end(), [](const Seat& seat) {
             return seat.worker && !seat.worker->assigned().empty();
           });
  }

  void step() {
    for (auto& seat : seats_) feed(seat);
    wait();
    if (signals_.interruptions() > 0 && !interrupted_) interrupt();
    for (auto& seat : seats_) listen(seat);
    for (auto& seat : seats_) bury(seat);
    watch_clock();
    if (o_.tick) o_.tick();
    if (failure_.empty() &&
        std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.retired && !seat.worker; }))
      failure_ = "no worker is left";
  }

  // ---- giving out work

  void start(Seat& seat) {
    WorkerSetup setup;
    setup.open = o_.open;
    setup.name = o_.name;
    setup.place = seat.place;
    setup.waits_for_rows = !shared_;
    seat.memory_kills = memory_kills();
    seat.idle = seat.elapsed = 0;
    seat.timed = 0;
    seat.worker = std::make_unique<WorkerProcess>(setup, [this] {
      if (o_.in_child) o_.in_child();
    });
  }

  std::optional<uint32_t> next_job(Seat& seat) {
    if (seat.first) {
      seat.proving = true;
      return std::exchange(seat.first, std::nullopt);
    }
    if (auto job = scheduler_.next()) return job;
    // Nothing is left to give, but others may hold what they have not begun. One that is still opening its device could
    // not begin it either.
    if (!seat.works() || !seat.worker->assigned().empty()) return std::nullopt;
    bool any = false;
    for (auto& other : seats_)
      if (&other != &seat && other.worker && !other.proving) any |= take_back(other);
    return any ? scheduler_.next() : std::nullopt;
  }

  bool take_back(Seat& seat) {
    const auto jobs = seat.worker->take_back();
    for (uint32_t job : jobs) scheduler_.put_back(job);
    return !jobs.empty();
  }

  void feed(Seat& seat) {
    if (interrupted_ || enough_ || !seat.takes_work()) return;
    double queued = 0;
    if (seat.worker)
      for (uint32_t job : seat.worker->assigned()) queued += scheduler_.cost(job);
    for (;;) {
      const size_t have = seat.worker ? seat.worker->assigned().size() : 0;
      // A device may take long to open: its jobs are given when it is there.
      if (have > 0 && (seat.home || !seat.worker->ready() || have >= (shared_ ? kAheadShared : kAhead))) return;
      const auto job = next_job(seat);
      if (!job) return;
      const double cost = scheduler_.cost(*job);
      if (have >= kAheadAlways && shared_ && queued + cost > kAheadSeconds) {
        scheduler_.put_back(*job);
        return;
      }
      if (!seat.worker) {
        try {
          start(seat);
        } catch (const Error& e) {
          scheduler_.put_back(*job);
          if (!others_work(seat)) throw;
          retire(seat, e.what());
          return;
        }
      }
      seat.worker->put(*job);
      queued += cost;
    }
  }

  bool others_work(const Seat& seat) const {
    return std::any_of(seats_.begin(), seats_.end(),
                       [&](const Seat& other) { return &other != &seat && other.works(); });
  }

  void retire(Seat& seat, const std::string& why) {
    seat.retired = true;
    spdlog::warn("one worker less on device {}: {}", seat.place.device, why);
  }

  // ---- hearing from workers

  void wait() {
    if (handful_ > kShortestSleep) std::this_thread::sleep_for(std::chrono::duration<double>(handful_));
    handful_ = 0;
    fds_.clear();
    fds_.push_back({signals_.fd(), POLLIN, 0});
    double seconds = kPollSeconds;
    for (const auto& seat : seats_) {
      seconds = std::min(seconds, seat.patience(limits_));
      if (seat.worker && seat.worker->socket() >= 0) fds_.push_back({seat.worker->socket(), POLLIN, 0});
    }
    const int ms = std::max(1, static_cast<int>(seconds * 1000) + 1);
    if (::poll(fds_.data(), fds_.size(), ms) < 0 && errno != EINTR)
      throw Error("", std::string("waiting for workers failed: ") + std::strerror(errno));
    signalled_ = fds_.front().revents != 0;
    if (signalled_) signals_.drain();
  }

  bool has_news(const Seat& seat) const {
    for (const auto& fd : fds_)
      if (fd.fd == seat.worker->socket()) return fd.revents != 0;
    return false;
  }

  void listen(Seat& seat) {
    if (!seat.worker || seat.worker->socket() < 0 || !has_news(seat)) return;
    hear(seat);
  }

  // Reads and handles all that has arrived.
  void hear(Seat& seat) {
    const bool connected = seat.worker->receive();
    int frames = 0;
    for (; auto frame = seat.worker->next_frame(); ++frames) handle(seat, *frame);
    const auto now = Clock::now();
    const double each = std::chrono::duration<double>(now - std::exchange(heard_, now)).count() / std::max(1, frames);
    // A lone worker waits for its row.
    handful_ = shared_ && each < kDenseSeconds ? std::min(kHandful * each, kHandfulSeconds) : 0;
    if (seat.worker->broken()) seat.condemn("crashed: wrote into the channel of its process");
    if (!connected) {
      seat.worker->dismiss();
      if (seat.hung_up < 0) seat.hung_up = 0;
    }
    write_ready();
  }

  void handle(Seat& seat, const Frame& frame) {
    DeviceState& device = devices_[seat.place.device];
    switch (frame.kind) {
      case FrameKind::kReady:
        seat.worker->note_ready();
        seat.elapsed = 0;
        seat.failures = 0;
        device.opened = true;
        if (!std::exchange(device.described, true)) log_lines(frame.payload);
        return;
      case FrameKind::kFailed:
        // The process ends by itself now.
        seat.reason = std::string(frame.payload);
        take_back(seat);
        seat.left = true;
        return;
      case FrameKind::kOutcome:
        break;
    }
    auto message = decode_outcome(frame.payload);
    if (!message || !seat.worker->note_outcome(message->job)) {
      seat.condemn("crashed: wrote into the channel of its process");
      return;
    }
    seat.proving = false;
    message->outcome.api = o_.name(message->job);
    const bool out_of_memory = message->outcome.reason == outcome::Reason::kOutOfMemory;
    if (message->leaving) {
      // The rest of its queue goes to the next process.
      take_back(seat);
      seat.left = true;
      spdlog::debug("{}{}: {}; its process is replaced", message->outcome.api, on_card(seat), message->outcome.message);
    }
    if (message->leaving && !out_of_memory && seat.worker->received() == 1)
      device_failed(seat, message->outcome.api + ": " + message->outcome.message, false);
    else
      device.failures = 0;
    const auto bad_card = retries_.done(message->job, seat.place.device, message->outcome, kMaxDeviceFailures);
    if (bad_card) give_up(*bad_card);
    scheduler_.finish(message->job, std::move(message->outcome));
    if (seat.home || seat.retired) let_go(seat);
  }

  // It gets no further job: what it has not begun goes to others, and it ends when it has done what it has.
  void let_go(Seat& seat) {
    if (!seat.worker || seat.left) return;
    take_back(seat);
    if (seat.worker->assigned().empty()) seat.dismiss();
  }

  // APIs crash on that card which another one checks. The last card is kept.
  void give_up(int card) {
    DeviceState& device = devices_[card];
    const bool last = std::none_of(seats_.begin(), seats_.end(),
                                   [&](const Seat& seat) { return !seat.retired && seat.card() != card; });
    if (last || std::exchange(device.given_up, true)) return;
    spdlog::warn("device {} gets no further work: {} APIs in a row crashed on it and not on another", card,
                 kMaxDeviceFailures);
    for (auto& seat : seats_) {
      if (seat.card() == card) {
        seat.retired = true;
        if (seat.first) scheduler_.put_back(*std::exchange(seat.first, std::nullopt));
      } else if (seat.place.device == card && !seat.worker) {
        seat.place = *std::exchange(seat.home, std::nullopt);
      }
      if (seat.place.device == card) let_go(seat);
    }
  }

  void write_ready() {
    while (!enough_) {
      auto outcome = scheduler_.pop_ready();
      if (!outcome) break;
      if (!o_.write(*outcome)) enough_ = true;
      let_go_on(scheduler_.waiting());
      if (o_.tell) o_.tell(*outcome);
    }
    let_go_on(0);
  }

  // A lone worker waits for its rows. Of what it has sent, `unwritten` outcomes are not in the files yet.
  void let_go_on(size_t unwritten) {
    if (shared_ || !seats_[0].worker || seats_[0].worker->socket() < 0) return;
    seats_[0].worker->note_written(seats_[0].worker->received() - static_cast<uint32_t>(unwritten));
  }

  static void log_lines(std::string_view lines) {
    while (!lines.empty()) {
      const size_t end = std::min(lines.find('\n'), lines.size());
      if (end > 0) spdlog::info("{}", lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  // ---- deaths

  // " on npu:1"
  std::string on_card(const Seat& seat) const {
    return o_.device_type.empty() ? "" : " on " + o_.device_type + ":" + std::to_string(seat.place.device);
  }

  // Where an API can be tried that crashed in this seat.
  std::optional<Place> another_card(const Seat& seat) const {
    for (const auto& other : seats_) {
      if (other.retired || other.card() == seat.place.device) continue;
      const auto device = devices_.find(other.card());
      if (device == devices_.end() || (device->second.failures == 0 && !device->second.given_up))
        return Place{other.card()};
    }
    return std::nullopt;
  }

  // A card that breaks what runs on it would break the second try as well.
  void move_to_another_card(Seat& seat) {
    const auto other = another_card(seat);
    if (!other) return;
    seat.home = seat.place;
    seat.place = *other;
  }

  // `final`: trying again would give the same.
  void device_failed(Seat& seat, const std::string& why, bool final) {
    DeviceState& device = devices_[seat.place.device];
    ++device.failures;
    const std::string where = "device " + std::to_string(seat.place.device);
    seat.pause = kFailurePause * device.failures;
    if (final)
      failure_ = where + ": " + why;
    else if (device.failures >= kMaxDeviceFailures)
      failure_ = where + " failed " + std::to_string(device.failures) + " times in a row, at last: " + why;
    else
      spdlog::warn("{} failed ({} times in a row): {}", where, device.failures, why);
  }

  // Takes a dead worker away and settles what it was doing.
  void bury(Seat& seat) {
    if (!seat.worker || (!signalled_ && seat.hung_up < 0 && seat.dying < 0)) return;
    auto status = seat.worker->reap();
    if (!status && seat.dying > kDyingSeconds) status = SIGKILL;  // a driver holds it; it is as good as dead
    if (!status) return;
    if (seat.worker->socket() >= 0) hear(seat);  // what it sent before it died
    const std::unique_ptr<WorkerProcess> dead = std::move(seat.worker);
    const bool was_killed = seat.dying >= 0, left = std::exchange(seat.left, false);
    seat.proving = false;
    const bool let_go = std::exchange(seat.let_go, false);
    std::string reason = std::exchange(seat.reason, {});
    seat.hung_up = seat.dying = -1;
    seat.ending = 0;
    const std::string card = on_card(seat);
    const int dead_on = seat.place.device;
    const bool was_away = seat.home.has_value();
    if (was_away) seat.place = *std::exchange(seat.home, std::nullopt);
    const bool killed = WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
    const bool memory_ran_out = killed && memory_kills() > seat.memory_kills;
    const uint32_t running = dead->ready() ? dead->running() : kNoJob;
    const bool no_room = was_away && !dead->ready();  // for a second process on that card
    if (reason.empty()) {
      reason = death_text(*status, memory_ran_out);
      if (running != kNoJob && died_by_itself(*status)) reason += outcome::stage_text(dead->stage());
    }
    for (uint32_t job : dead->assigned()) {
      if (job == running || (no_room && give_to_a_worker_of(dead_on, job))) continue;
      if (no_room && !interrupted_ && !seat.retired && !seat.first)
        seat.first = job;  // its fresh process is then one at home
      else
        scheduler_.put_back(job);
    }
    if ((interrupted_ || let_go) && running == kNoJob) return;
    if (!dead->ready()) {
      log_last_words(*dead);
      const bool said_why = left || was_killed;  // an error or a timeout of opening, not a crash
      if (was_away)                              // its own card is still to be tried
        spdlog::warn("no second worker{}: {}", card, reason);
      else if (++seat.failures >= kSeatFailures && others_work(seat))
        retire(seat, reason);
      else
        device_failed(seat, reason, said_why && !devices_[seat.place.device].opened);
    } else if (running != kNoJob) {
      spdlog::warn("{}{}: {}", o_.name(running), card, reason);
      log_last_words(*dead);
      const Death death{dead_on,
                        reason,
                        died_by_itself(*status),
                        killed,
                        memory_ran_out,
                        dead->received() == 0,
                        !was_away && another_card(seat).has_value()};
      if (!was_killed && (interrupted_ || retries_.again(running, death))) {
        if (!was_away && !interrupted_ && !seat.retired) move_to_another_card(seat);
        if (!interrupted_)
          spdlog::info("{} is tried once more{}", o_.name(running),
                       seat.retired ? "" : " in a fresh process" + on_card(seat));
        if (seat.retired)
          scheduler_.put_back(running);
        else
          seat.first = running;
      } else {
        scheduler_.finish(running, outcome::skipped_outcome(o_.name(running), reason, outcome::reason_of(reason)));
        write_ready();
      }
    } else if (!left) {
      spdlog::warn("a worker of device {} died between two APIs: {}", seat.place.device, reason);
      log_last_words(*dead);
    }
  }

  // To one that works there already; false: there is none.
  bool give_to_a_worker_of(int device, uint32_t job) {
    for (auto& seat : seats_) {
      if (seat.place.device != device || !seat.works() || !seat.takes_work()) continue;
      seat.worker->put(job);
      return true;
    }
    return false;
  }

  static void log_last_words(const WorkerProcess& worker) {
    if (const std::string words = worker.last_words(); !words.empty()) spdlog::info("its last words: {}", words);
  }

  // ---- time

  void watch_clock() {
    const auto now = Clock::now();
    // After SIGTSTP and SIGCONT, or a laptop's sleep, the time between is nobody's fault.
    const double passed = std::min(std::chrono::duration<double>(now - looked_).count(), kLongestTick);
    looked_ = now;
    for (auto& seat : seats_) seat.watch(passed, limits_);
    if ((since_trim_ += passed) > kPollSeconds) {
      since_trim_ = 0;
      for (const auto& seat : seats_)
        if (seat.worker) seat.worker->trim_output();
    }
  }

  // ---- the end

  void interrupt() {
    interrupted_ = true;
    for (auto& seat : seats_) {
      if (seat.first) scheduler_.put_back(*std::exchange(seat.first, std::nullopt));
      if (!seat.worker) continue;
      take_back(seat);
      if (!seat.worker->ready()) seat.worker->kill();
    }
  }

  void send_home() {
    for (auto& seat : seats_)
      if (seat.worker) {
        if (seat.worker->assigned().empty())
          seat.worker->dismiss();
        else
          seat.worker->kill();
      }
    constexpr double kGrace = 1;
    const auto end = Clock::now() + std::chrono::duration<double>(kGrace);
    for (auto& seat : seats_) {
      while (seat.worker && !seat.worker->reap() && Clock::now() < end) {
        pollfd fd{signals_.fd(), POLLIN, 0};
        ::poll(&fd, 1, 10);
        signals_.drain();
      }
      seat.worker.reset();
    }
  }

  const PoolOptions& o_;
  const bool shared_;  // several workers
  Signals signals_;
  Scheduler scheduler_;
  std::vector<Seat> seats_;
  std::map<int, DeviceState> devices_;
  Retries retries_;
  const Limits limits_;
  std::vector<pollfd> fds_;
  Clock::time_point looked_ = Clock::now(), heard_{};
  double handful_ = 0;  // seconds to sleep before looking again: outcomes come one after the other
  double since_trim_ = 0;
  bool signalled_ = false;  // some signal has arrived: a child may have died
  bool interrupted_ = false, enough_ = false;
  std::string failure_;
};

}  // namespace

PoolResult run_pool(const PoolOptions& options) {
  if (options.count == 0 || options.places.empty()) return {};
  return Pool(options).run();
}

}  // namespace msprobe::pool
