#include "pool/worker_main.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "outcome/skipped.h"
#include "pool/death.h"
#include "pool/protocol.h"
#include "pool/signals.h"
#include "util/mapped_range.h"
#include "util/message.h"

namespace msprobe::pool {
namespace {

constexpr int kSpinMicros = 50;  // at most, for the row of an API

// Out of the way of code that closes or writes to descriptors by small numbers.
int move_high(int fd) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int high = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1024)) - 16;
  const int moved = high > fd ? ::fcntl(fd, F_DUPFD_CLOEXEC, high) : -1;
  if (moved < 0) return fd;
  ::close(fd);
  return moved;
}

void settle_in(const WorkerSetup& setup) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != setup.parent) ::_exit(0);  // it died before it could be watched
  Signals::reset_in_child();
  // A dump of a process that has LibTorch loaded takes seconds; 1 also keeps piped core handlers away (core(5)).
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = std::min<rlim_t>(1, core.rlim_max);
    ::setrlimit(RLIMIT_CORE, &core);
  }
  // When memory runs out, a worker goes rather than the supervisor, which would take every row in hand with it.
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] ssize_t n = ::write(score, "500", 3);
    ::close(score);
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    if (null > STDERR_FILENO) ::close(null);
  }
  if (setup.error_output >= 0) ::dup2(setup.error_output, STDERR_FILENO);
}

class Worker {
 public:
  explicit Worker(const WorkerSetup& setup) : setup_(setup), socket_(move_high(setup.socket)) {}

  [[noreturn]] void run() {
    open();
    for (;;) work(next_job());
  }

 private:
  void open() {
    std::string failure;
    try {
      Place place = setup_.place;
      place.stage = &setup_.queue->stage();
      checker_ = setup_.open(place);
      std::string lines;
      for (const auto& line : checker_.description) lines += line + "\n";
      send(encode_text(FrameKind::kReady, lines));
      return;
    } catch (const std::bad_alloc&) {
      failure = opening(outcome::Reason::kOutOfMemory);
    } catch (const std::exception& e) {
      failure = util::message_of(e);
    } catch (...) {
      failure = "an exception that is no std::exception";
    }
    send(encode_text(FrameKind::kFailed, failure));
    ::_exit(0);
  }

  void work(uint32_t job) {
    bool leaving = false;
    setup_.queue->stage() = outcome::Stage::kUnknown;
    util::take_lost_file();  // what was noted before is no concern of this job
    outcome::ApiOutcome outcome;
    try {
      if (checker_.rebuild) checker_.rebuild(job);
      wait_until_written();
      outcome = checker_.check(job);
      // Memory that could not be had once is in pieces now, or held by something that was never meant to live on.
      leaving = outcome.reason == outcome::Reason::kOutOfMemory;
    } catch (const std::bad_alloc&) {
      outcome = outcome::skipped_outcome(setup_.name(job), std::string(opening(outcome::Reason::kOutOfMemory)),
                                         outcome::Reason::kOutOfMemory);
      leaving = true;
    } catch (const std::exception& e) {
      outcome = outcome::skipped_outcome(setup_.name(job), util::message_of(e));
    } catch (...) {
      outcome = outcome::skipped_outcome(setup_.name(job), "an exception that is no std::exception");
    }
    if (const auto lost = util::take_lost_file())
      outcome = outcome::skipped_outcome(setup_.name(job), util::message_of(*lost));
    wait_until_written();  // of a job that could not be rebuilt
    if (outcome.forward == outcome::Status::kSkip && checker_.healthy && !checker_.healthy()) leaving = true;
    try {
      send(encode_outcome(job, leaving, outcome));
    } catch (const std::bad_alloc&) {
      ::_exit(kExitNoMemory);
    }
    if (leaving) ::_exit(0);
    ++sent_;
  }

  uint32_t next_job() {
    for (;;) {
      if (checker_.prepare) checker_.prepare(setup_.queue->peek());
      if (auto job = setup_.queue->take()) return *job;
      if (checker_.prepare) checker_.prepare(std::nullopt);
      sleep_while([this] { return setup_.queue->empty(); });
    }
  }

  // A kill repeats what has not been written: so it repeats the API at hand and no other. Inputs are rebuilt meanwhile.
  void wait_until_written() {
    if (!setup_.waits_for_rows) return;
    const auto unwritten = [this] { return setup_.queue->written() < sent_; };
    // The supervisor takes some 10 us; to sleep and be woken would cost both processes more than that.
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kSpinMicros);
    while (unwritten() && std::chrono::steady_clock::now() < end) pause();
    while (unwritten()) sleep_while(unwritten);
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  template <class Condition>
  void sleep_while(Condition condition) {
    setup_.queue->fall_asleep();
    if (!condition()) {
      setup_.queue->wake_up();
      return;
    }
    char bytes[16];
    ssize_t n;
    do {
      n = ::recv(socket_, bytes, sizeof bytes, 0);
    } while (n < 0 && errno == EINTR);
    setup_.queue->wake_up();
    if (n == 0) ::_exit(0);  // the supervisor has no more work
    if (n < 0) ::_exit(kExitLostChannel);
  }

  void send(const std::string& frame) {
    size_t done = 0;
    while (done < frame.size()) {
      const ssize_t n = ::send(socket_, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
      if (n > 0)
        done += static_cast<size_t>(n);
      else if (n == 0 || errno != EINTR)
        ::_exit(kExitLostChannel);
    }
  }

  const WorkerSetup& setup_;
  int socket_;
  Checker checker_;
  uint32_t sent_ = 0;
};

}  // namespace

void worker_main(const WorkerSetup& setup) {
  settle_in(setup);
  // Whatever is thrown outside of an API: nothing of the supervisor's may run in this process.
  try {
    Worker(setup).run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", util::message_of(e).c_str());
  } catch (...) {
  }
  ::_exit(kExitBetween);
}

}  // namespace msprobe::pool
