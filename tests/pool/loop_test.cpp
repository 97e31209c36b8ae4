// One worker: what goes wrong costs the API at hand, and how the run ends.
#include "pool/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "pool/death.h"
#include "pool/loop_fixture.h"
#include "util/error.h"

namespace msprobe::pool::test {
namespace {

using outcome::Reason;
using outcome::Stage;
using Kind = Act::Kind;

constexpr const char* kTriedOnceMore = "info: Torch.mul.3 is tried once more in a fresh process on npu:7\n";

struct Case {
  const char* name;
  std::vector<Deed> deeds;
  std::map<uint32_t, std::string> messages;
  int processes;
  std::string log;
  double seconds = 0;  ///< that it takes, besides opening devices and checking
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

std::string warning(int job, const std::string& what) {
  return "warning: " + name(job) + " on npu:7: " + what + "\n";
}
std::string replaced(int job, const std::string& what) {
  return "debug: " + name(job) + " on npu:7: " + what + "; its process is replaced\n";
}

constexpr const char *kSegv = "crashed: SIGSEGV (segmentation fault)", *kKilled = "crashed: SIGKILL (killed)";
constexpr ExitStatus kBySegv{true, SIGSEGV}, kByKill{true, SIGKILL};

const Act kDiesInGolden{.kind = Kind::kDie, .status = kBySegv, .stage = Stage::kGolden},
    kDiesWithWords{.kind = Kind::kDie, .status = {true, SIGABRT}, .text = "double free or corruption"},
    kKilledInGolden{.kind = Kind::kDie, .status = kByKill, .stage = Stage::kGolden},  // which has no part in it
    kKilledForMemory{.kind = Kind::kDie, .status = kByKill, .for_memory = true},
    kNoAnswer{.kind = Kind::kDie, .status = {false, kExitNoMemory}},
    kLostChannel{.kind = Kind::kDie, .status = {false, kExitLostChannel}};

const std::vector<Case> kCrashes = {
    {"BehindOthersItIsTriedInAFreshProcess",
     {{3, kDiesInGolden, 1}},
     {{3, first_try("SIGSEGV (segmentation fault) in the golden")}},
     2,
     warning(3, std::string(kSegv) + " in the golden") + kTriedOnceMore},
    {"ThereAsWell", {{3, die(SIGSEGV)}}, {{3, kSegv}}, 3, warning(3, kSegv) + kTriedOnceMore + warning(3, kSegv)},
    {"FirstInItsProcessItIsNot", {{0, die(SIGSEGV)}}, {{0, kSegv}}, 2, warning(0, kSegv)},
    {"LastWordsAreLogged",
     {{0, kDiesWithWords}},
     {{0, "crashed: SIGABRT (aborted)"}},
     2,
     warning(0, "crashed: SIGABRT (aborted)") + "info: its last words: double free or corruption\n"},
    {"AnExitIsACrash",
     {{0, {.kind = Kind::kDie, .status = {false, 3}}}},
     {{0, "crashed: exited with status 3"}},
     2,
     warning(0, "crashed: exited with status 3")},
    {"ItsChannelWasLost",
     {{0, kLostChannel}},
     {{0, "crashed: closed the descriptors of its process"}},
     2,
     warning(0, "crashed: closed the descriptors of its process")},
    {"KilledFromOutsideItIsTriedOnceMoreWhichNoRowTells",
     {{3, kKilledInGolden, 1}},
     {},
     2,
     warning(3, kKilled) + kTriedOnceMore},
    {"KilledTwice", {{3, die(SIGKILL)}}, {{3, kKilled}}, 3, warning(3, kKilled) + kTriedOnceMore + warning(3, kKilled)},
    {"KilledForMemoryALoneWorkerHasDoneItItself",
     {{3, kKilledForMemory}},
     {{3, "out of memory: killed by the system"}},
     2,
     warning(3, "out of memory: killed by the system")},
    {"NoMemoryForTheAnswer",
     {{3, kNoAnswer}},
     {{3, "out of memory"}},
     3,
     warning(3, "out of memory") + kTriedOnceMore + warning(3, "out of memory")},
};

const Act kStays{.kind = Kind::kLeave, .linger = kNever, .text = "out of memory", .reason = Reason::kOutOfMemory},
    kLeavesSlowly{.kind = Kind::kLeave, .linger = 29, .text = "out of memory", .reason = Reason::kOutOfMemory},
    kDiesSlowly{.kind = Kind::kDie, .status = kBySegv, .linger = 4},
    kNeverEnds{.kind = Kind::kDie, .status = kBySegv, .linger = kNever};

const std::vector<Case> kDepartures = {
    {"OutOfMemoryItsProcessIsReplaced",
     {{3, leave(Reason::kOutOfMemory, "out of memory")}},
     {{3, "out of memory"}},
     2,
     replaced(3, "out of memory")},
    {"ItTakesItsTime", {{3, kLeavesSlowly}}, {{3, "out of memory"}}, 2, replaced(3, "out of memory"), 29},
    {"OneThatDoesNotEndIsKilled", {{3, kStays}}, {{3, "out of memory"}}, 2, replaced(3, "out of memory"), 30},
    {"TheDeviceIsLost",
     {{3, leave(Reason::kDeviceLost, "device lost: 507035")}},
     {{3, "device lost: 507035"}},
     2,
     replaced(3, "device lost: 507035")},
    {"TheSystemTakesItDownSlowly",
     {{0, kDiesSlowly}},
     {{0, "crashed: SIGSEGV (segmentation fault)"}},
     2,
     warning(0, "crashed: SIGSEGV (segmentation fault)"),
     4},
    {"TheSystemDoesNotTakeItDown",
     {{0, kNeverEnds}},
     {{0, "crashed: its process does not end"}},
     2,
     warning(0, "crashed: its process does not end"),
     30},
};

Case killed(const char* title, Act act, const std::string& message, double seconds) {
  return {title, {{3, std::move(act)}}, {{3, message}}, 2, warning(3, message), seconds};
}

const std::string kWroteIntoChannel = "crashed: wrote into the channel of its process";

const std::vector<Case> kKills = {
    killed("TimedOut", {.kind = Kind::kHang}, "timed out after 5 s", 5),
    killed("TimedOutInBackward", {.kind = Kind::kHang, .stage = Stage::kDeviceBackward},
           "timed out after 5 s in backward", 5),
    killed("ADriverHoldsIt", {.kind = Kind::kHang, .held = true}, "timed out after 5 s", 7),
    killed("ItHangsUpAndLivesOn", {.kind = Kind::kHangUp}, "crashed: closed the descriptors of its process", 0.1),
    killed("WhatIsNoFrame", {.kind = Kind::kGarbage, .text = "what is this"}, kWroteIntoChannel, 0),
    killed("AnOutcomeThatIsNotDue",
           {.kind = Kind::kGarbage, .text = encode_outcome(99, false, outcome::skipped_outcome("", ""))},
           kWroteIntoChannel, 0),
    killed("AnOverwrittenQueue", {.kind = Kind::kOverwrite}, "crashed: overwrote the memory of its queue", 0),
};

class LoneWorkerTest : public LoopTest, public testing::WithParamInterface<Case> {};

// Whether SIGCHLD arrives or is lost: the closed channel tells as well.
TEST_P(LoneWorkerTest, WhatGoesWrongCostsThatApi) {
  for (const bool tells_of_children : {true, false}) {
    SCOPED_TRACE(tells_of_children);
    start_again();
    system->tells_of_children = tells_of_children;
    options.timeout = GetParam().seconds > 7 ? 0 : 5;
    script(GetParam().deeds);
    const PoolResult result = run(6, {7});
    EXPECT_EQ(result.end, RunEnd::kFinished) << result.error;
    EXPECT_EQ(result.written, 6u);
    EXPECT_EQ(rows, names(6));
    EXPECT_EQ(messages, messages_of(6, GetParam().messages));
    EXPECT_EQ(system->spawned, GetParam().processes);
    EXPECT_EQ(log(), GetParam().log);
    const double least = GetParam().seconds + 0.1 * system->spawned;
    EXPECT_GE(system->now(), least);
    EXPECT_LT(system->now(), least + 0.7);
    // A row that is not written is tried again; no other is.
    for (uint32_t job = 0; job < 6; ++job)
      EXPECT_EQ(system->tries_of(job),
                job == GetParam().deeds.at(0).job ? static_cast<int>(system->tries.size()) - 5 : 1);
  }
}

const auto kCaseName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Crashes, LoneWorkerTest, testing::ValuesIn(kCrashes), kCaseName);
INSTANTIATE_TEST_SUITE_P(Departures, LoneWorkerTest, testing::ValuesIn(kDepartures), kCaseName);
INSTANTIATE_TEST_SUITE_P(Kills, LoneWorkerTest, testing::ValuesIn(kKills), kCaseName);

TEST_F(LoopTest, AWorkerThatTakesNoJobIsReplaced) {
  system->opening = [](int number, int) {
    return Opening{.kind = number == 1 ? Opening::Kind::kOpensAndSleeps : Opening::Kind::kOpens};
  };
  EXPECT_EQ(run(6, {7}).end, RunEnd::kFinished);
  EXPECT_EQ(messages, messages_of(6, {}));
  EXPECT_EQ(log(),
            "warning: a worker of device 7 died between two APIs: crashed: takes no more work\n"
            "warning: device 7 failed (1 times in a row): crashed: takes no more work\n");
  EXPECT_GE(system->now(), 10);
  EXPECT_LT(system->now(), 11);
}

TEST_F(LoopTest, TimeForWhichEverythingStoodStillDoesNotCount) {
  system->opening = [](int, int) { return Opening{.seconds = 100}; };
  script({{3, {.seconds = 4}}});
  system->at(50, [&] { system->stop_for(1000); });
  system->at(101, [&] { system->stop_for(1000); });
  EXPECT_EQ(run(6, {7}).end, RunEnd::kFinished);
  EXPECT_EQ(messages, messages_of(6, {}));
  EXPECT_EQ(log(), "");
  EXPECT_GE(system->now(), 2104);
}

TEST_F(LoopTest, ALoneWorkerIsNeverWithoutJobsAndBeginsOneWhenTheRowsBeforeAreWritten) {
  constexpr size_t kApis = 200;
  size_t too_soon = 0;
  system->act = [&](const Try& t) {
    too_soon += rows.size() != t.job;
    return Act{};
  };
  EXPECT_EQ(run(kApis, {7}).written, kApis);
  EXPECT_EQ(rows, names(kApis));
  EXPECT_EQ(too_soon, 0u);
  EXPECT_EQ(system->longest_queue, 15u);  // of 16 that it is given, it does one
  // No wake-up is lost: or it would sleep for a while.
  EXPECT_LT(system->now(), 0.1 + kApis * 0.001 + 0.02);
}

TEST_F(LoopTest, WhatADeviceSaysAboutItselfIsLoggedOnce) {
  system->opening = [](int, int) { return Opening{.text = "Ascend 910B\n\nCANN 8.0\n"}; };
  script({{2, leave(Reason::kOutOfMemory, "out of memory")}});
  run(4, {7});
  EXPECT_EQ(system->spawned, 2);
  EXPECT_EQ(log(), "info: Ascend 910B\ninfo: CANN 8.0\n" + replaced(2, "out of memory"));
}

TEST_F(LoopTest, EachRowIsToldBehindItsWriteAndTheTickComesOften) {
  int ticks = 0;
  std::vector<std::string> told;
  options.tick = [&] { ++ticks; };
  options.tell = [&](const outcome::ApiOutcome& outcome) {
    EXPECT_EQ(rows.back(), outcome.api);
    told.push_back(outcome.api);
  };
  script({{1, {.kind = Kind::kHang}}});
  run(3, {7});
  EXPECT_EQ(told, names(3));
  EXPECT_GE(ticks, 25);  // of a fifth of a second, in 5 s
}

// ---- devices

TEST_F(LoopTest, ADeviceThatCannotBeOpenedEndsTheRun) {
  const struct {
    Opening opening;
    const char* error;
    double seconds;
  } kCases[] = {
      {{.kind = Opening::Kind::kFails, .text = "npu: no NPU was found; use --device_type cpu"},
       "device 7: npu: no NPU was found; use --device_type cpu",
       0},
      {{.kind = Opening::Kind::kHangs}, "device 7: the device did not open within 120 s", 120},
  };
  for (const auto& c : kCases) {
    start_again();
    system->opening = [&](int, int) { return c.opening; };
    const PoolResult result = run(6, {7});
    EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
    EXPECT_EQ(result.error, c.error);
    EXPECT_EQ(rows, names(0));
    EXPECT_EQ(system->spawned, 1);
    EXPECT_GE(system->now(), c.seconds);
    EXPECT_LT(system->now(), c.seconds + 0.5);
  }
}

TEST_F(LoopTest, ADeviceThatOpenedBeforeIsTriedTenTimes) {
  system->opening = [](int number, int) {
    return number == 1 ? Opening{} : Opening{.kind = Opening::Kind::kDies, .status = {true, SIGSEGV}};
  };
  script({{4, die(SIGKILL)}});
  const PoolResult result = run(20, {7});
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_EQ(result.error, "device 7 failed 10 times in a row, at last: crashed: SIGSEGV (segmentation fault)");
  EXPECT_EQ(result.written, 4u);
  EXPECT_EQ(rows, names(4));
  EXPECT_EQ(system->spawned, 11);
  std::string expected =
      warning(4, "crashed: SIGKILL (killed)") + "info: Torch.mul.4 is tried once more in a fresh process on npu:7\n";
  for (int i = 1; i < 10; ++i)
    expected +=
        "warning: device 7 failed (" + std::to_string(i) + " times in a row): crashed: SIGSEGV (segmentation fault)\n";
  EXPECT_EQ(log(), expected);
  EXPECT_GE(system->now(), 11 * 0.1 + 1);  // it is given more and more time
}

TEST_F(LoopTest, ADeviceThatDoesNotOpenAgainAtOnceHoldsNoRowUp) {
  system->opening = [](int number, int) {
    return Opening{.kind = number == 2 ? Opening::Kind::kHangs : Opening::Kind::kOpens};
  };
  script({{2, die(SIGABRT), 1}});
  EXPECT_EQ(run(6, {7}).end, RunEnd::kFinished);
  EXPECT_EQ(messages, messages_of(6, {{2, first_try("SIGABRT (aborted)")}}));
  EXPECT_EQ(log(), warning(2, "crashed: SIGABRT (aborted)") +
                       "info: Torch.mul.2 is tried once more in a fresh process on npu:7\n"
                       "warning: device 7 failed (1 times in a row): the device did not open within 120 s\n");
  EXPECT_EQ(system->spawned, 3);
}

TEST_F(LoopTest, ADeviceThatEveryApiLosesEndsTheRunAfterTen) {
  const std::string lost = "CUDA error: an illegal memory access was encountered";
  system->act = [&](const Try&) { return leave(Reason::kSkipped, lost); };
  const PoolResult result = run(20, {7});
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_EQ(result.error, "device 7 failed 10 times in a row, at last: Torch.mul.9: " + lost);
  EXPECT_EQ(rows, names(10));
  EXPECT_EQ(messages, std::vector<std::string>(10, lost));
}

TEST_F(LoopTest, WithoutAProcessTheRunCannotFinish) {
  system->before_spawn = [](int) { throw Error("", "no process for a worker: no memory", "take fewer workers (-n)"); };
  const PoolResult result = run(6, {7});
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_EQ(result.error, "no process for a worker: no memory; take fewer workers (-n)");
}

// ---- ends

struct Interruption {
  const char* name;
  std::vector<double> times;
  Act at_hand;  ///< of job 3, begun at 0.103
  size_t rows;
  double seconds;
};

TEST_F(LoopTest, AnInterruptedRunKeepsTheApiAtHandUnlessItIsAskedTwice) {
  const Interruption kCases[] = {
      {"Before", {-1}, {}, 0, 0},
      {"WhileOpening", {0.05}, {}, 0, 0.05},
      {"Once", {1}, {.seconds = 3}, 4, 3.1},
      {"Twice", {1, 2}, {.seconds = 3}, 3, 2},
      {"TheApiAtHandCrashes", {1}, {.kind = Kind::kDie, .seconds = 3, .status = {true, SIGSEGV}}, 3, 3.1},
      {"TheApiAtHandHangs", {1}, {.kind = Kind::kHang}, 4, 5.1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    start_again();
    script({{3, c.at_hand}});
    for (double time : c.times) {
      if (time < 0)
        system->raise(SIGTERM);
      else
        system->at(time, [&] { system->raise(SIGTERM); });
    }
    const PoolResult result = run(50, {7});
    EXPECT_EQ(result.end, RunEnd::kInterrupted) << result.error;
    EXPECT_EQ(result.signal, SIGTERM);
    EXPECT_EQ(rows, names(c.rows));
    EXPECT_EQ(system->tries_of(4), 0);
    EXPECT_GE(system->now(), c.seconds);
    EXPECT_LT(system->now(), c.seconds + 0.5);
  }
}

TEST_F(LoopTest, TheWriterMayEndTheRun) {
  options.write = [&](const outcome::ApiOutcome& outcome) {
    rows.push_back(outcome.api);
    return rows.size() < 5;
  };
  const PoolResult result = run(50, {7});
  EXPECT_EQ(result.end, RunEnd::kFinished);
  EXPECT_EQ(result.written, 5u);
  EXPECT_EQ(rows, names(5));
}

TEST_F(LoopTest, AWriteThatFailsEndsTheRun) {
  const struct {
    std::function<void()> fail;
    const char* error;
  } kCases[] = {
      {[] { throw Error("result.csv", "cannot be written: No space left on device"); },
       "result.csv: cannot be written: No space left on device"},
      {[] { throw std::bad_alloc(); }, "the supervisor is out of memory; free some, then go on"},
  };
  for (const auto& c : kCases) {
    start_again();
    options.write = [&](const outcome::ApiOutcome& outcome) {
      if (rows.size() == 3) c.fail();
      rows.push_back(outcome.api);
      return true;
    };
    const PoolResult result = run(50, {7});
    EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
    EXPECT_EQ(result.error, c.error);
    EXPECT_EQ(rows, names(3));
    EXPECT_LE(system->tries.size(), 5u);  // nothing is begun for a row that cannot be written
  }
}

}  // namespace
}  // namespace msprobe::pool::test
