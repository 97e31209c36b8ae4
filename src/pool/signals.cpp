#include "pool/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

#include "util/error.h"

namespace msprobe::pool {
namespace {

constexpr int kAsking[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kIgnored[] = {SIGPIPE, SIGXFSZ};
constexpr int kInterruptedStatus = 130;

// A handler can reach nothing but what is static.
std::atomic<int> interruptions_seen{0};
std::atomic<int> first_seen{0};
int wake_pipe[2] = {-1, -1};
std::atomic<bool> ends_at_once{false};  // a signal that comes outside a pool ends the process: the first, or
std::atomic<bool> holds{false};         // the second
struct sigaction old_actions[std::size(kAsking) + std::size(kIgnored) + 1];

void wake() {
  const int error = errno;
  [[maybe_unused]] ssize_t n = ::write(wake_pipe[1], "x", 1);  // a full pipe wakes just as well
  errno = error;
}

void on_asked(int number) {
  int none = 0;
  first_seen.compare_exchange_strong(none, number);
  const int seen = ++interruptions_seen;
  if (wake_pipe[1] >= 0) {
    wake();
  } else if (ends_at_once || (holds && seen > 1)) {
    constexpr char kMessage[] = "msprobe: interrupted\n";
    [[maybe_unused]] ssize_t n = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    ::_exit(kInterruptedStatus);
  }
}

void on_child(int) {
  wake();
}

void set(int number, void (*handler)(int), struct sigaction* old) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, old);
}

// What was ignored from the start stays so: nohup ignores SIGHUP, a shell Ctrl-C for its background jobs.
void handle_asking(struct sigaction* old) {
  for (int number : kAsking) {
    set(number, on_asked, old);
    if (number != SIGTERM && old->sa_handler == SIG_IGN) ::sigaction(number, old, nullptr);
    ++old;
  }
}

}  // namespace

void end_on_signals() {
  struct sigaction old[std::size(kAsking)];
  ends_at_once = true;
  handle_asking(old);
  set(SIGXFSZ, SIG_IGN, nullptr);
}

void hold_signals() {
  holds = true;
  ends_at_once = false;
  struct sigaction old[std::size(kAsking)];
  handle_asking(old);
  set(SIGPIPE, SIG_IGN, nullptr);
}

Signals::Signals() {
  if (::pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error("", std::string("no pipe for signals: ") + std::strerror(errno), "allow more open files (ulimit -n)");
  if (!holds) interruptions_seen = first_seen = 0;
  struct sigaction* old = old_actions;
  handle_asking(old);
  old += std::size(kAsking);
  for (int number : kIgnored) set(number, SIG_IGN, old++);
  set(SIGCHLD, on_child, old);
}

Signals::~Signals() {
  const struct sigaction* old = old_actions;
  for (int number : kAsking) ::sigaction(number, old++, nullptr);
  for (int number : kIgnored) ::sigaction(number, old++, nullptr);
  ::sigaction(SIGCHLD, old, nullptr);
  for (int& end : wake_pipe) {
    ::close(end);
    end = -1;
  }
}

int Signals::fd() const {
  return wake_pipe[0];
}

void Signals::drain() {
  char bytes[64];
  while (::read(wake_pipe[0], bytes, sizeof bytes) > 0) {
  }
}

int Signals::interruptions() const {
  return interruptions_seen;
}
int Signals::first() const {
  return first_seen;
}

void Signals::reset_in_child() {
  for (int number : kAsking) set(number, SIG_IGN, nullptr);
  for (int number : kIgnored) set(number, SIG_IGN, nullptr);  // a saved tensor that is too large costs its file alone
  set(SIGCHLD, SIG_DFL, nullptr);
  for (int& end : wake_pipe) {
    ::close(end);
    end = -1;
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace msprobe::pool
