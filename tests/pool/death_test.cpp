#include "pool/death.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace msprobe::pool {
namespace {

using outcome::Reason;
using outcome::Stage;
using Kind = Death::Kind;

TEST(DeathTest, AnExitStatusIsTold) {
  const struct {
    ExitStatus status;
    bool memory_ran_out;
    const char* message;
    Reason reason;
    bool by_itself;
  } kCases[] = {
      {{true, SIGSEGV}, false, "crashed: SIGSEGV (segmentation fault)", Reason::kCrashed, true},
      {{true, SIGABRT}, false, "crashed: SIGABRT (aborted)", Reason::kCrashed, true},
      {{true, SIGFPE}, true, "crashed: SIGFPE (arithmetic fault)", Reason::kCrashed, true},
      {{true, SIGBUS}, false, "crashed: SIGBUS (bus error)", Reason::kCrashed, true},
      {{true, 40}, false, "crashed: signal 40", Reason::kCrashed, true},
      {{true, SIGKILL}, false, "crashed: SIGKILL (killed)", Reason::kCrashed, false},
      {{true, SIGKILL}, true, "out of memory: killed by the system", Reason::kOutOfMemory, false},
      {{true, SIGTERM}, false, "crashed: SIGTERM (terminated)", Reason::kCrashed, false},
      {{true, SIGINT}, false, "crashed: SIGINT (interrupted)", Reason::kCrashed, false},
      {{true, SIGQUIT}, false, "crashed: SIGQUIT (quit)", Reason::kCrashed, false},
      {{true, SIGHUP}, false, "crashed: SIGHUP (hung up)", Reason::kCrashed, false},
      {{false, 0}, false, "crashed: exited with status 0", Reason::kCrashed, true},
      {{false, 3}, false, "crashed: exited with status 3", Reason::kCrashed, true},
      {{false, kExitLostChannel}, false, "crashed: closed the descriptors of its process", Reason::kCrashed, true},
      {{false, kExitNoMemory}, false, "out of memory", Reason::kOutOfMemory, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.message);
    const Death death = death_of(c.status, c.memory_ran_out);
    EXPECT_EQ(message_of(death), c.message);
    EXPECT_EQ(reason_of(death), c.reason);
    EXPECT_EQ(died_by_itself(death), c.by_itself);
    EXPECT_EQ(died_of_sigkill(death), c.status.signalled && c.status.number == SIGKILL);
  }
}

TEST(DeathTest, WhatASupervisorKillsForIsTold) {
  const struct {
    Death death;
    const char* message;
    Reason reason;
  } kCases[] = {
      {{Kind::kTimedOut, 0, 5}, "timed out after 5 s", Reason::kTimedOut},
      {{Kind::kTimedOut, 0, 0.5, Stage::kGolden}, "timed out after 0.5 s in the golden", Reason::kTimedOut},
      {{Kind::kOpenTimedOut, 0, 600}, "the device did not open within 600 s", Reason::kSkipped},
      {{Kind::kOpenFailed, 0, 0, Stage::kUnknown, "no NPU was found"}, "no NPU was found", Reason::kSkipped},
      {{Kind::kLostChannel}, "crashed: closed the descriptors of its process", Reason::kCrashed},
      {{Kind::kWroteIntoChannel}, "crashed: wrote into the channel of its process", Reason::kCrashed},
      {{Kind::kOverwroteQueue}, "crashed: overwrote the memory of its queue", Reason::kCrashed},
      {{Kind::kTakesNoWork}, "crashed: takes no more work", Reason::kCrashed},
      {{Kind::kDoesNotEnd}, "crashed: its process does not end", Reason::kCrashed},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(message_of(c.death), c.message);
    EXPECT_EQ(reason_of(c.death), c.reason) << c.message;
  }
}

// A row that is read from a file has its reason by its Message: the two must agree.
TEST(DeathTest, TheReasonIsThatOfTheMessageInAFile) {
  for (const Death& death :
       {death_of({true, SIGSEGV}, false), death_of({true, SIGKILL}, true), death_of({false, kExitNoMemory}, false),
        Death{Kind::kTimedOut, 0, 5}, Death{Kind::kOverwroteQueue}, Death{Kind::kOpenTimedOut, 0, 600}})
    EXPECT_EQ(outcome::reason_of(message_of(death)), reason_of(death)) << message_of(death);
}

TEST(DeathTest, TheTryThatDidNotCrashTellsOfTheOneThatDid) {
  Death death = death_of({true, SIGABRT}, false);
  EXPECT_EQ(first_try_message(death),
            "crashed in a first try: SIGABRT (aborted); a second one, in another process, did not");
  death.stage = Stage::kGoldenBackward;
  EXPECT_EQ(first_try_message(death),
            "crashed in a first try: SIGABRT (aborted) in the golden's backward; a second one, in another process, "
            "did not");
}

}  // namespace
}  // namespace msprobe::pool
