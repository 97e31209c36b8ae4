#include "run/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

#include "util/error.h"

namespace msprobe::run {
namespace {

constexpr int kAsking[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kIgnored[] = {SIGPIPE, SIGXFSZ};

// A handler can reach nothing but what is static.
std::atomic<int> interruptions_seen{0};
std::atomic<int> first_seen{0};
int wake_pipe[2] = {-1, -1};
struct sigaction old_actions[std::size(kAsking) + std::size(kIgnored) + 1];

void wake() {
  const int error = errno;
  [[maybe_unused]] ssize_t n = ::write(wake_pipe[1], "x", 1);  // a full pipe wakes just as well
  errno = error;
}

void on_asked(int number) {
  int none = 0;
  first_seen.compare_exchange_strong(none, number);
  ++interruptions_seen;
  wake();
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

}  // namespace

Signals::Signals() {
  if (::pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error("", std::string("no pipe for signals: ") + std::strerror(errno), "allow more open files (ulimit -n)");
  interruptions_seen = 0;
  first_seen = 0;
  struct sigaction* old = old_actions;
  for (int number : kAsking) {
    set(number, on_asked, old);
    if (number == SIGHUP && old->sa_handler == SIG_IGN) ::sigaction(number, old, nullptr);
    ++old;
  }
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
  set(SIGPIPE, SIG_IGN, nullptr);
  for (int number : {SIGXFSZ, SIGCHLD}) set(number, SIG_DFL, nullptr);
  for (int& end : wake_pipe) {
    ::close(end);
    end = -1;
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace msprobe::run
