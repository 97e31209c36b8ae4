// Several workers: who gets which job, what is requeued, tries on other cards, and what becomes of cards and slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "pool/loop.h"
#include "pool/loop_fixture.h"
#include "util/error.h"

namespace msprobe::pool::test {
namespace {

using Kind = Act::Kind;
using testing::EndsWith;
using testing::HasSubstr;

class WorkersTest : public LoopTest {
 protected:
  std::vector<Try> tries_of(uint32_t job) const {
    std::vector<Try> all;
    std::copy_if(system->tries.begin(), system->tries.end(), std::back_inserter(all),
                 [&](const Try& t) { return t.job == job; });
    return all;
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
};

TEST_F(WorkersTest, RowsAreInOrderWhateverTheOrderOfArrivalAndNobodySleepsInVain) {
  for (const size_t workers : {2, 3, 5}) {
    start_again();
    double all = 0;
    system->act = [&](const Try& t) {
      const Act act{.seconds = 0.001 * (1 + t.job * 7919 % 13)};
      all += act.seconds;
      return act;
    };
    EXPECT_EQ(run(100, std::vector<int>(workers, 0)).written, 100u);
    EXPECT_EQ(rows, names(100));
    EXPECT_EQ(system->tries.size(), 100u);
    const double least = 0.1 + all / static_cast<double>(workers);
    EXPECT_LT(system->now(), least + 0.05) << workers;
  }
}

TEST_F(WorkersTest, ProcessesAreSpawnedOnlyForWork) {
  run(2, {0, 1, 2, 3});
  EXPECT_EQ(system->spawned, 2);
}

TEST_F(WorkersTest, WhatAnOpeningWorkerWasGivenIsDoneByOneThatIsReady) {
  for (const int slow : {0, 1}) {
    start_again();
    system->opening = [&](int, int device) { return Opening{.seconds = device == slow ? 50 : 0.1}; };
    run(60, {0, 1});
    EXPECT_EQ(rows, names(60));
    EXPECT_EQ(system->tries.size(), 60u);
    for (const auto& t : system->tries) EXPECT_EQ(t.device, 1 - slow);
    EXPECT_LT(system->tries.back().time, 0.2);
  }
}

TEST_F(WorkersTest, WhatStandsBehindALongJobIsDoneByOthers) {
  script({{0, {.seconds = 4}}});
  run(40, {0, 1});
  EXPECT_EQ(rows, names(40));
  EXPECT_EQ(system->tries.size(), 40u);
  for (const auto& t : system->tries) EXPECT_LT(t.time, 0.2) << t.job;
}

TEST_F(WorkersTest, JobsAreGivenAheadWhileTheyAreCheap) {
  const struct {
    double cost;
    uint32_t longest_queue;  // besides the one that is being done
  } kCases[] = {{1e-6, 15}, {1e-4, 15}, {5e-4, 3}, {1, 1}};
  for (const auto& c : kCases) {
    start_again();
    options.cost = [&](size_t) { return c.cost; };
    run(100, {0, 1});
    EXPECT_EQ(rows, names(100));
    EXPECT_EQ(system->longest_queue, c.longest_queue) << c.cost;
  }
}

TEST_F(WorkersTest, TheDearestJobsAreBegunFirst) {
  options.cost = [](size_t job) { return job == 17 ? 2.0 : job == 5 ? 1.0 : 0.001; };
  run(20, {0, 1});
  ASSERT_GE(system->tries.size(), 2u);
  EXPECT_EQ((std::set<uint32_t>{system->tries[0].job, system->tries[1].job}), (std::set<uint32_t>{5, 17}));
}

// ---- second tries on another card

struct Case {
  const char* name;
  std::vector<Deed> deeds;
  std::map<uint32_t, std::string> messages;
  int processes;
  std::string log;
  std::vector<int> devices;  ///< of the tries of job 1
  Opening third{};           ///< of the third process
};

class TwoCardsTest : public WorkersTest, public testing::WithParamInterface<Case> {};

TEST_P(TwoCardsTest, AJobThatTakesItsProcessWithIt) {
  script(GetParam().deeds);
  system->opening = [](int number, int) { return number == 3 ? GetParam().third : Opening{}; };
  EXPECT_EQ(run(2, {0, 1}).end, RunEnd::kFinished);
  EXPECT_EQ(rows, names(2));
  EXPECT_EQ(messages, messages_of(2, GetParam().messages));
  EXPECT_EQ(log(), GetParam().log);
  EXPECT_EQ(system->spawned, GetParam().processes);
  std::vector<int> devices;
  for (const auto& t : tries_of(1)) devices.push_back(t.device);
  EXPECT_EQ(devices, GetParam().devices);
}

const std::string kAborted = "warning: Torch.mul.1 on npu:1: crashed: SIGABRT (aborted)\n",
                  kAbortedThere = "warning: Torch.mul.1 on npu:0: crashed: SIGABRT (aborted)\n",
                  kTriedThere = "info: Torch.mul.1 is tried once more in a fresh process on npu:0\n";

const Act kKilledForMemory{.kind = Kind::kDie, .status = {true, SIGKILL}, .for_memory = true};

const std::vector<Case> kSecondTries = {
    {"CrashesOnOneCard",
     {{1, die(SIGABRT), 0, 1}},
     {{1, first_try("SIGABRT (aborted)")}},
     3,
     kAborted + kTriedThere,
     {1, 0}},
    {"CrashesOnBoth",
     {{1, die(SIGABRT)}},
     {{1, "crashed: SIGABRT (aborted)"}},
     3,
     kAborted + kTriedThere + kAbortedThere,
     {1, 0}},
    {"KilledForMemoryThatOthersMayHaveTaken",
     {{1, kKilledForMemory, 1}},
     {},
     3,
     "warning: Torch.mul.1 on npu:1: out of memory: killed by the system\n" + kTriedThere,
     {1, 0}},
    {"AHangIsNotTriedAgain",
     {{1, {.kind = Kind::kHang}}},
     {{1, "timed out after 5 s"}},
     2,
     "warning: Torch.mul.1 on npu:1: timed out after 5 s\n",
     {1}},
    {"TheOtherCardHasNoRoomForASecondProcess",
     {{1, die(SIGABRT), 0, 1}},
     {{1, first_try("SIGABRT (aborted)")}},
     3,
     kAborted + kTriedThere + "warning: no second worker on npu:0: no memory on the card\n",
     {1, 0},
     {.kind = Opening::Kind::kFails, .text = "no memory on the card"}},
    {"ASecondProcessDiesOnTheOtherCard",
     {{1, die(SIGABRT), 0, 1}},
     {{1, first_try("SIGABRT (aborted)")}},
     3,
     kAborted + kTriedThere + "warning: no second worker on npu:0: crashed: SIGSEGV (segmentation fault)\n",
     {1, 0},
     {.kind = Opening::Kind::kDies}},
};

INSTANTIATE_TEST_SUITE_P(Jobs, TwoCardsTest, testing::ValuesIn(kSecondTries),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(WorkersTest, AWorkerGoesBackToItsCardAfterATryOnAnother) {
  system->act = [](const Try& t) { return t.job == 1 && t.number == 1 ? die(SIGABRT) : Act{.seconds = 0.05}; };
  run(60, {0, 1});
  EXPECT_EQ(rows, names(60));
  EXPECT_EQ(system->spawned, 4);  // two, the try on card 0, and card 1 again
  size_t behind_it = 0;
  for (const auto& t : system->tries) behind_it += t.device == 1 && t.time > tries_of(1).back().time;
  EXPECT_GT(behind_it, 5u);
  for (uint32_t job = 0; job < 60; ++job) EXPECT_EQ(tries_of(job).size(), job == 1 ? 2u : 1u) << job;
}

TEST_F(WorkersTest, ACardOnWhichEverythingCrashesIsGivenUpAndCostsNoRow) {
  system->act = [](const Try& t) { return t.device == 1 ? die(SIGSEGV) : Act{.seconds = 0.05}; };
  EXPECT_EQ(run(80, {0, 1}).end, RunEnd::kFinished);
  EXPECT_EQ(rows, names(80));
  int crashes = 0;
  for (uint32_t job = 0; job < 80; ++job) {
    const auto all = tries_of(job);
    const bool crashed = all.front().device == 1;
    crashes += crashed;
    EXPECT_EQ(messages[job], crashed ? first_try("SIGSEGV (segmentation fault)") : "");
    EXPECT_EQ(all.back().device, 0);
    EXPECT_EQ(all.size(), crashed ? 2u : 1u);
  }
  EXPECT_EQ(crashes, kMaxDeviceFailures);
  EXPECT_THAT(log(), EndsWith("warning: device 1 gets no further work: 10 APIs in a row crashed on it and not on "
                              "another\n"));
}

TEST_F(WorkersTest, TheLastCardIsKept) {
  system->act = [](const Try& t) { return t.number == 1 ? die(SIGSEGV) : Act{}; };
  EXPECT_EQ(run(60, {0, 1}).end, RunEnd::kFinished);
  EXPECT_EQ(rows, names(60));
  EXPECT_EQ(count(log(), "gets no further work"), 1u);
  for (const auto& message : messages)
    EXPECT_THAT(message,
                testing::AnyOf(first_try("SIGSEGV (segmentation fault)"), "crashed: SIGSEGV (segmentation fault)"));
}

// ---- slots

TEST_F(WorkersTest, ASlotThatNeverOpensIsRetiredWhileOthersWork) {
  system->act = [](const Try&) { return Act{.seconds = 0.2}; };
  system->opening = [](int number, int) {
    return number == 1 ? Opening{} : Opening{.kind = Opening::Kind::kFails, .text = "no memory on the card"};
  };
  EXPECT_EQ(run(20, {0, 0}).end, RunEnd::kFinished);
  EXPECT_EQ(rows, names(20));
  EXPECT_EQ(messages, messages_of(20, {}));
  EXPECT_EQ(system->spawned, 4);
  EXPECT_THAT(log(), EndsWith("warning: one worker less on device 0: no memory on the card\n"));
  EXPECT_EQ(count(log(), "warning: device 0 failed ("), 2u);
  EXPECT_EQ(count(log(), "\n"), 3u);
}

TEST_F(WorkersTest, ASlotThatGetsNoProcessIsRetiredWhileOthersWork) {
  system->before_spawn = [](int number) {
    if (number > 2) throw Error("", "no process for a worker: Resource temporarily unavailable");
  };
  script({{1, die(SIGABRT), 1}});
  EXPECT_EQ(run(20, {0, 1}).end, RunEnd::kFinished);
  EXPECT_EQ(rows, names(20));
  EXPECT_EQ(messages, messages_of(20, {{1, first_try("SIGABRT (aborted)")}}));
  EXPECT_EQ(log(), kAborted + kTriedThere +
                       "warning: one worker less on device 0: no process for a worker: Resource temporarily "
                       "unavailable\n");
}

TEST_F(WorkersTest, AnInterruptedRunKeepsWhatIsAtHandAndWritesWhatIsInOrder) {
  system->act = [](const Try&) { return Act{.seconds = 1}; };
  system->at(2.5, [&] { system->raise(SIGINT); });
  const PoolResult result = run(40, {0, 1, 2});
  EXPECT_EQ(result.end, RunEnd::kInterrupted);
  EXPECT_EQ(result.signal, SIGINT);
  EXPECT_EQ(system->tries.size(), 9u);  // three each, begun at 0.1, 1.1 and 2.1 s
  std::set<uint32_t> begun;
  for (const auto& t : system->tries) begun.insert(t.job);
  size_t in_order = 0;
  while (begun.count(static_cast<uint32_t>(in_order)) != 0) ++in_order;
  EXPECT_EQ(rows, names(in_order));
  EXPECT_LT(system->now(), 3.3);
}

}  // namespace
}  // namespace msprobe::pool::test
