#include "pool/death.h"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace msprobe::pool {
namespace {

struct SignalName {
  int number;
  const char *name, *words;
};

constexpr std::array kSignals = {
    SignalName{SIGSEGV, "SIGSEGV", "segmentation fault"},
    SignalName{SIGABRT, "SIGABRT", "aborted"},
    SignalName{SIGFPE, "SIGFPE", "arithmetic fault"},
    SignalName{SIGBUS, "SIGBUS", "bus error"},
    SignalName{SIGILL, "SIGILL", "illegal instruction"},
    SignalName{SIGKILL, "SIGKILL", "killed"},
    SignalName{SIGTRAP, "SIGTRAP", "trap"},
    SignalName{SIGSYS, "SIGSYS", "bad system call"},
    SignalName{SIGTERM, "SIGTERM", "terminated"},
    SignalName{SIGINT, "SIGINT", "interrupted"},
    SignalName{SIGQUIT, "SIGQUIT", "quit"},
    SignalName{SIGHUP, "SIGHUP", "hung up"},
    SignalName{SIGPIPE, "SIGPIPE", "broken pipe"},
    SignalName{SIGALRM, "SIGALRM", "alarm clock"},
    SignalName{SIGXCPU, "SIGXCPU", "limit of processor time"},
    SignalName{SIGXFSZ, "SIGXFSZ", "limit of file size"},
    SignalName{SIGUSR1, "SIGUSR1", "user signal 1"},
    SignalName{SIGUSR2, "SIGUSR2", "user signal 2"},
};

}  // namespace

std::string death_text(int status, bool memory_ran_out) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGKILL && memory_ran_out) return "out of memory: killed by the system";
    for (const auto& s : kSignals)
      if (s.number == number) return std::string("crashed: ") + s.name + " (" + s.words + ")";
    return "crashed: signal " + std::to_string(number);
  }
  const int code = WEXITSTATUS(status);
  if (code == kExitLostChannel) return "crashed: closed the descriptors of its process";
  if (code == kExitNoMemory) return "out of memory";
  return "crashed: exited with status " + std::to_string(code);
}

bool died_by_itself(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status) != kExitNoMemory;
  for (int outside : {SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP})
    if (WTERMSIG(status) == outside) return false;
  return true;
}

std::string first_crash_text(const std::string& death) {
  constexpr std::string_view kCrashed = "crashed: ";
  const std::string_view what = std::string_view(death).substr(death.starts_with(kCrashed) ? kCrashed.size() : 0);
  return "crashed in a first try: " + std::string(what) + "; a second one, in another process, did not";
}

uint64_t memory_kills() {
  std::ifstream vmstat("/proc/vmstat");
  std::string name;
  for (uint64_t count = 0; vmstat >> name >> count;)
    if (name == "oom_kill") return count;
  return 0;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
  return text;
}

}  // namespace msprobe::pool
