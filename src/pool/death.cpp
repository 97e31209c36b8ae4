#include "pool/death.h"

#include <signal.h>

#include <array>
#include <cstdio>

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

std::string signal_words(int number) {
  for (const auto& s : kSignals)
    if (s.number == number) return std::string(s.name) + " (" + s.words + ")";
  return "signal " + std::to_string(number);
}

// "5", "0.5", "600"
std::string seconds_words(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
  return std::string(text) + " s";
}

// What stands behind "crashed: ".
std::string crash_words(const Death& death) {
  switch (death.kind) {
    case Death::Kind::kExited:
      return "exited with status " + std::to_string(death.number);
    case Death::Kind::kSignalled:
      return signal_words(death.number);
    case Death::Kind::kLostChannel:
      return "closed the descriptors of its process";
    case Death::Kind::kWroteIntoChannel:
      return "wrote into the channel of its process";
    case Death::Kind::kOverwroteQueue:
      return "overwrote the memory of its queue";
    case Death::Kind::kTakesNoWork:
      return "takes no more work";
    case Death::Kind::kDoesNotEnd:
      return "its process does not end";
    default:
      return {};
  }
}

std::string words_of(const Death& death) {
  switch (death.kind) {
    case Death::Kind::kKilledForMemory:
      return outcome::message_of(outcome::Reason::kOutOfMemory, "killed by the system");
    case Death::Kind::kTimedOut:
      return std::string(opening(outcome::Reason::kTimedOut)) + " after " + seconds_words(death.seconds);
    case Death::Kind::kOpenTimedOut:
      return "the device did not open within " + seconds_words(death.seconds);
    case Death::Kind::kOpenFailed:
      return death.words;
    default:
      return outcome::message_of(reason_of(death), crash_words(death));
  }
}

}  // namespace

Death death_of(const ExitStatus& status, bool memory_ran_out) {
  if (status.signalled) {
    const bool for_memory = status.number == SIGKILL && memory_ran_out;
    return {for_memory ? Death::Kind::kKilledForMemory : Death::Kind::kSignalled, status.number};
  }
  if (status.number == kExitLostChannel) return {Death::Kind::kLostChannel};
  if (status.number == kExitNoMemory) return {Death::Kind::kNoMemory};
  return {Death::Kind::kExited, status.number};
}

bool died_by_itself(const Death& death) {
  switch (death.kind) {
    case Death::Kind::kExited:
    case Death::Kind::kLostChannel:
      return true;
    case Death::Kind::kSignalled:
      for (int outside : {SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP})
        if (death.number == outside) return false;
      return true;
    default:
      return false;
  }
}

bool died_of_sigkill(const Death& death) {
  return death.kind == Death::Kind::kKilledForMemory ||
         (death.kind == Death::Kind::kSignalled && death.number == SIGKILL);
}

outcome::Reason reason_of(const Death& death) {
  switch (death.kind) {
    case Death::Kind::kKilledForMemory:
    case Death::Kind::kNoMemory:
      return outcome::Reason::kOutOfMemory;
    case Death::Kind::kTimedOut:
      return outcome::Reason::kTimedOut;
    case Death::Kind::kOpenTimedOut:
    case Death::Kind::kOpenFailed:
      return outcome::Reason::kSkipped;  // no API ran
    default:
      return outcome::Reason::kCrashed;
  }
}

std::string message_of(const Death& death) {
  return words_of(death) + std::string(stage_text(death.stage));
}

std::string first_try_message(const Death& death) {
  return "crashed in a first try: " + crash_words(death) + std::string(stage_text(death.stage)) +
         "; a second one, in another process, did not";
}

}  // namespace msprobe::pool
