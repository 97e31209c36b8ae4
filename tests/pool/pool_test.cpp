#include "pool/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "outcome/skipped.h"
#include "util/error.h"
#include "util/mapped_file.h"

namespace msprobe::pool {
namespace {

using outcome::ApiOutcome;
using outcome::Stage;
using outcome::Status;
using testing::HasSubstr;

std::string name(size_t i) {
  return "Torch.mul." + std::to_string(i);
}

ApiOutcome good(size_t i) {
  ApiOutcome outcome = outcome::skipped_outcome(name(i), "");
  outcome.forward = Status::kPass;
  return outcome;
}

// By default action: a sanitizer would turn a fault into an exit.
void die(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

// Counters that the workers share with the test.
struct Shared {
  std::atomic<int> begun[256], opened;
  std::atomic<int> flag;
};

class PoolTest : public testing::Test {
 protected:
  void SetUp() override {
    spdlog::set_level(spdlog::level::off);
    void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    shared_ = new (page) Shared{};
  }
  void TearDown() override {
    spdlog::set_level(spdlog::level::info);
    munmap(shared_, sizeof(Shared));
  }

  PoolOptions options(size_t count, size_t workers, std::function<ApiOutcome(size_t)> check) {
    PoolOptions o;
    for (size_t w = 0; w < workers; ++w) o.places.push_back({static_cast<int>(w % 2)});
    o.count = count;
    o.open = [this, check](const Place&) {
      ++shared_->opened;
      Checker checker;
      checker.check = [this, check](size_t i) {
        ++shared_->begun[i];
        return check(i);
      };
      return checker;
    };
    o.name = name;
    o.cost = [](size_t) { return 1e-4; };
    o.write = [this](const ApiOutcome& outcome) {
      apis_.push_back(outcome.api);
      messages_.push_back(outcome.message);
      return true;
    };
    return o;
  }

  std::vector<std::string> names(size_t n) {
    std::vector<std::string> all;
    for (size_t i = 0; i < n; ++i) all.push_back(name(i));
    return all;
  }

  Shared* shared_ = nullptr;
  std::vector<std::string> apis_, messages_;
};

// It is replaced, but not for ever.
TEST_F(PoolTest, AWorkerThatFailsBeforeEveryApiEndsTheRun) {
  for (size_t workers : {1, 2}) {
    auto o = options(4, workers, good);
    const auto open = o.open;
    o.open = [open](const Place& place) {
      Checker checker = open(place);
      checker.prepare = [](std::optional<size_t>) { throw std::runtime_error("no facts"); };
      return checker;
    };
    const PoolResult result = run_pool(o);
    EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
    EXPECT_EQ(result.written, 0u);
    EXPECT_NE(result.error.find("failed 10 times in a row, at last: crashed: exited with status 119"),
              std::string::npos)
        << result.error;
  }
}

TEST_F(PoolTest, RowsAreInOrderWhateverTheOrderOfArrival) {
  for (size_t workers : {1, 2, 5}) {
    apis_.clear();
    auto o = options(100, workers, [](size_t i) {
      std::this_thread::sleep_for(std::chrono::microseconds(i * 7919 % 13 * 200));
      return good(i);
    });
    const PoolResult result = run_pool(o);
    EXPECT_EQ(result.end, RunEnd::kFinished);
    EXPECT_EQ(result.written, 100u);
    EXPECT_EQ(apis_, names(100)) << workers;
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shared_->begun[i], 3) << i;
}

TEST_F(PoolTest, WorkersAreForkedOnlyWhenThereIsWorkForThem) {
  run_pool(options(1, 8, good));
  EXPECT_EQ(shared_->opened, 1);
  EXPECT_EQ(run_pool(options(0, 8, good)).end, RunEnd::kFinished);
  EXPECT_EQ(shared_->opened, 1);
}

TEST_F(PoolTest, ACrashCostsTheApiThatRanAndNoOther) {
  for (size_t workers : {1, 3}) {
    apis_.clear();
    messages_.clear();
    run_pool(options(60, workers, [](size_t i) {
      if (i % 10 == 3) die(i == 3 ? SIGSEGV : SIGABRT);
      return good(i);
    }));
    EXPECT_EQ(apis_, names(60));
    for (size_t i = 0; i < 60; ++i)
      EXPECT_EQ(messages_[i], i == 3        ? "crashed: SIGSEGV (segmentation fault)"
                              : i % 10 == 3 ? "crashed: SIGABRT (aborted)"
                                            : "")
          << i;
  }
}

TEST_F(PoolTest, AFileThatIsCutWhileAnApiReadsItCostsThatRowAndNoProcess) {
  const std::string folder = testing::TempDir() + "pool_test_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  for (size_t workers : {1, 3}) {
    apis_.clear();
    messages_.clear();
    shared_->opened = 0;
    run_pool(options(20, workers, [&](size_t i) {
      const std::string path = folder + "/" + std::to_string(i) + ".npy";
      std::ofstream(path) << std::string(20'000, 'x');
      const util::MappedFile file(util::open_regular(path), path, util::MappedFile::Access::kPrivateWrite, path);
      if (i % 10 == 3) std::filesystem::resize_file(path, 10);
      volatile char last = file.data()[file.size() - 1];
      if (last != 'x' && i == 13) throw std::runtime_error("nonsense follows from nonsense");
      return good(i);
    }));
    EXPECT_EQ(apis_, names(20));
    for (size_t i = 0; i < 20; ++i)
      EXPECT_EQ(messages_[i], i % 10 != 3 ? ""
                                          : folder + "/" + std::to_string(i) +
                                                ".npy: was cut short while it was being read, or its disk failed; "
                                                "start again when nothing writes to it any more");
    EXPECT_LE(shared_->opened, static_cast<int>(workers));
  }
  std::filesystem::remove_all(folder);
}

TEST_F(PoolTest, WhatAnApiWasDoingWhenItDiedIsTold) {
  constexpr std::pair<Stage, const char*> kStages[] = {
      {Stage::kUnknown, ""},
      {Stage::kRebuild, " while its inputs were rebuilt"},
      {Stage::kDevice, ""},
      {Stage::kDeviceBackward, " in backward"},
      {Stage::kGolden, " in the golden"},
      {Stage::kGoldenBackward, " in the golden's backward"},
      {Stage::kComparison, " in the comparison"},
      {static_cast<Stage>(77), ""},  // overwritten
  };
  for (const bool hang : {false, true}) {
    messages_.clear();
    auto o = options(2 * std::size(kStages), 1, good);
    o.open = [&, open = o.open](const Place& place) {
      Checker checker = open(place);
      checker.check = [&, cell = place.stage](size_t i) {
        if (i % 2 != 0) return good(i);  // leaves nothing of its neighbour's
        cell->store(kStages[i / 2].first);
        if (hang)
          for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
        die(SIGSEGV);
        return good(i);
      };
      return checker;
    };
    o.timeout = hang ? 0.2 : 0;
    run_pool(o);
    ASSERT_EQ(messages_.size(), 2 * std::size(kStages));
    for (size_t i = 0; i < messages_.size(); ++i)
      EXPECT_EQ(messages_[i], i % 2 != 0 ? ""
                                         : (hang ? "timed out after 0.2 s" : "crashed: SIGSEGV (segmentation fault)") +
                                               std::string(kStages[i / 2].second));
  }
}

TEST_F(PoolTest, AnApiIsTriedAgainWhenAnEarlierOneMayHaveBrokenItsProcess) {
  // 4 leaves something behind that kills 5.
  static bool broken;
  broken = false;
  run_pool(options(10, 1, [](size_t i) {
    if (broken) die(SIGSEGV);
    broken = i == 4;
    return good(i);
  }));
  std::vector<std::string> expected(10, "");
  expected[5] = "crashed in a first try: SIGSEGV (segmentation fault); a second one, in another process, did not";
  EXPECT_EQ(messages_, expected);
  EXPECT_EQ(shared_->begun[5], 2);
  EXPECT_EQ(shared_->opened, 2);
}

TEST_F(PoolTest, ACrashThatDoesNotRepeatIsToldBehindWhatElseIsSaid) {
  run_pool(options(6, 1, [this](size_t i) {
    const bool first = shared_->begun[i] == 1;
    if (i == 2 && first) die(SIGABRT);
    if (i == 4 && first) _exit(3);
    ApiOutcome outcome = good(i);
    if (i == 2) outcome.message = "recorded: identical";
    return outcome;
  }));
  EXPECT_EQ(messages_,
            (std::vector<std::string>{
                "", "",
                "recorded: identical; crashed in a first try: SIGABRT (aborted); a second one, in another process, did "
                "not",
                "", "crashed in a first try: exited with status 3; a second one, in another process, did not", ""}));
}

TEST_F(PoolTest, TheSecondTryIsOnAnotherCardAndItsWorkerGoesHomeAfterIt) {
  static int card;
  auto o = options(80, 2, [this](size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (card == 1 && shared_->begun[i] == 1 && shared_->flag.fetch_add(1) == 6) die(SIGABRT);
    if (shared_->begun[i] == 2) shared_->begun[200 + card] = 1;
    if (card == 1 && shared_->flag > 7) ++shared_->begun[100];
    return good(i);
  });
  const auto open = o.open;
  o.open = [open](const Place& place) {
    card = place.device;
    return open(place);
  };
  EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
  EXPECT_EQ(apis_, names(80));
  EXPECT_EQ(std::count_if(messages_.begin(), messages_.end(), [](const auto& m) { return !m.empty(); }), 1);
  EXPECT_EQ(shared_->begun[200], 1);  // on card 0
  EXPECT_EQ(shared_->begun[201], 0);
  EXPECT_EQ(shared_->opened, 4);      // two, the second try, and card 1 again
  EXPECT_GT(shared_->begun[100], 0);  // which works on
}

TEST_F(PoolTest, ACardOnWhichEverythingCrashesCostsNoRowAndIsGivenUp) {
  static int card;
  auto& crashes = shared_->begun[200];
  auto o = options(180, 4, [&](size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (card == 1) {
      ++crashes;
      die(SIGSEGV);
    }
    return good(i);
  });
  o.open = [open = o.open](const Place& place) {
    card = place.device;
    return open(place);
  };
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kFinished);
  EXPECT_EQ(apis_, names(180));
  int told = 0;
  for (const std::string& message : messages_) {
    if (message.empty()) continue;
    ++told;
    EXPECT_EQ(message,
              "crashed in a first try: SIGSEGV (segmentation fault); a second one, in another process, did not");
  }
  EXPECT_EQ(told, crashes);
  EXPECT_GE(crashes, kMaxDeviceFailures);
  EXPECT_LE(crashes, kMaxDeviceFailures + 2);  // two workers stand there
}

// Retries of one kind go to the card that is being given up, those of the other come from it.
TEST_F(PoolTest, ACardGivenUpWhileOthersTryOnItHoldsNothingUp) {
  static int card;
  for (int round = 0; round < 10; ++round) {
    apis_.clear();
    messages_.clear();
    auto o = options(60, 2 + static_cast<size_t>(round % 3), [](size_t i) {
      if (i % 2 == 0 ? card == 0 : true) die(SIGSEGV);
      return good(i);
    });
    o.open = [open = o.open, round](const Place& place) {
      card = place.device;
      std::this_thread::sleep_for(std::chrono::milliseconds(round));
      return open(place);
    };
    EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
    ASSERT_EQ(apis_, names(60));
    for (size_t i = 1; i < 60; i += 2) EXPECT_EQ(messages_[i], "crashed: SIGSEGV (segmentation fault)") << i;
    for (size_t i = 0; i < 60; i += 2)
      EXPECT_THAT(messages_[i], testing::AnyOf("", testing::StartsWith("crashed in a first try: SIGSEGV"))) << i;
  }
}

TEST_F(PoolTest, AnApiThatCrashesOnEveryCardIsTriedOnTwoAndBlamesNone) {
  auto o = options(60, 2, [](size_t i) {
    if (i % 2 == 0) die(SIGABRT);
    return good(i);
  });
  EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
  EXPECT_EQ(apis_, names(60));
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(messages_[i], i % 2 == 0 ? "crashed: SIGABRT (aborted)" : "") << i;
    EXPECT_EQ(shared_->begun[i], i % 2 == 0 ? 2 : 1) << i;
  }
}

// The second worker opens its device for as long as the first has work.
TEST_F(PoolTest, WhatAnOpeningWorkerWasGivenIsDoneByOneThatIsReady) {
  for (const bool first_is_slow : {false, true}) {
    apis_.clear();
    auto& done = shared_->begun[200];
    done = 0;
    auto o = options(60, 2, [&](size_t i) {
      ++done;
      return good(i);
    });
    o.open = [&, open = o.open](const Place& place) {
      for (int ms = 0; ms < 5000 && (place.device == 0) == first_is_slow && done < 60; ++ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      shared_->begun[201 + place.device] = done.load();
      return open(place);
    };
    EXPECT_EQ(run_pool(o).written, 60u);
    EXPECT_EQ(apis_, names(60));
    EXPECT_EQ(done, 60);
    EXPECT_EQ(shared_->begun[first_is_slow ? 202 : 201], 0) << "the quick one found work done";
    EXPECT_EQ(shared_->begun[first_is_slow ? 201 : 202], 60) << "the slow one was waited for";
  }
}

TEST_F(PoolTest, ASignalFromOutsideLeavesNoTraceInTheRow) {
  for (int number : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    SCOPED_TRACE(number);
    messages_.clear();
    shared_->begun[3] = 0;
    run_pool(options(6, 1, [this, number](size_t i) {
      if (i == 3 && shared_->begun[3] == 1) die(number);
      return good(i);
    }));
    EXPECT_EQ(messages_, std::vector<std::string>(6, ""));
    EXPECT_EQ(shared_->begun[3], 2);
  }
}

TEST_F(PoolTest, AKilledWorkersApiIsTriedOnceMore) {
  auto o = options(6, 1, [this](size_t i) {
    if (i == 3 && shared_->begun[3] == 1) raise(SIGKILL);  // once, as from outside
    if (i == 5) raise(SIGKILL);                            // always
    return good(i);
  });
  run_pool(o);
  EXPECT_EQ(messages_, (std::vector<std::string>{"", "", "", "", "", "crashed: SIGKILL (killed)"}));
  EXPECT_EQ(shared_->begun[3], 2);
  EXPECT_EQ(shared_->begun[5], 2);
}

TEST_F(PoolTest, EveryApiCrashingStillEnds) {
  const auto start = std::chrono::steady_clock::now();
  const PoolResult result = run_pool(options(100, 1, [](size_t) -> ApiOutcome { abort(); }));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(result.end, RunEnd::kFinished);
  EXPECT_EQ(messages_, std::vector<std::string>(100, "crashed: SIGABRT (aborted)"));
  EXPECT_LT(seconds, 100 * 0.05);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shared_->begun[i], 1) << i;
}

TEST_F(PoolTest, WaitingBeforeAnApiIsNotItsTime) {
  auto o = options(3, 1, good);
  auto open = o.open;
  o.open = [open](const Place& place) {
    Checker checker = open(place);
    checker.prepare = [](std::optional<size_t> job) {
      if (job) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    };
    return checker;
  };
  o.timeout = 0.3;
  EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
  EXPECT_EQ(messages_, std::vector<std::string>(3, ""));
}

// A kill repeats what has no row yet: the operators of one API at most, whose inputs are rebuilt while the row before
// is on its way.
TEST_F(PoolTest, ALoneWorkerRunsAnApiWhenTheRowBeforeIsWrittenAndRebuildsItSooner) {
  constexpr int kApis = 20;
  auto& written = shared_->begun[200];
  auto& rebuilt = shared_->begun[201];
  auto& too_soon = shared_->begun[202];
  auto& beside = shared_->begun[203];
  auto o = options(kApis, 1, [&](size_t i) {
    too_soon += written != static_cast<int>(i);
    return good(i);
  });
  o.open = [&, open = o.open](const Place& place) {
    Checker checker = open(place);
    checker.rebuild = [&](size_t i) { rebuilt = static_cast<int>(i) + 1; };
    return checker;
  };
  o.write = [&, write = o.write](const ApiOutcome& outcome) {
    // The worker has all the time to go on with the next API, as far as it may.
    const int next = written + 2;
    for (int ms = 0; ms < 1000 && next <= kApis && rebuilt < next; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    beside += rebuilt == next;
    ++written;
    return write(outcome);
  };
  EXPECT_EQ(run_pool(o).written, static_cast<size_t>(kApis));
  EXPECT_EQ(too_soon, 0);
  EXPECT_GE(beside, kApis - 2);  // the first may be done before its worker has been given another
}

TEST_F(PoolTest, WhatGoesWrongInRebuildingCostsThatApi) {
  for (size_t workers : {1, 3}) {
    apis_.clear();
    messages_.clear();
    auto o = options(30, workers, good);
    o.open = [open = o.open](const Place& place) {
      Checker checker = open(place);
      checker.rebuild = [](size_t i) {
        if (i == 3) die(SIGSEGV);
        if (i == 7) throw std::runtime_error("no such file");
        if (i == 11) throw std::bad_alloc();
        if (i == 15)
          for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
      };
      return checker;
    };
    o.timeout = 0.3;
    EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
    EXPECT_EQ(apis_, names(30));
    std::vector<std::string> expected(30, "");
    expected[3] = "crashed: SIGSEGV (segmentation fault)";  // this checker tells no stages
    expected[7] = "no such file";
    expected[11] = "out of memory";
    expected[15] = "timed out after 0.3 s";
    EXPECT_EQ(messages_, expected) << workers;
  }
  for (int i : {3, 7, 11, 15}) EXPECT_EQ(shared_->begun[i], 0) << i;
}

TEST_F(PoolTest, AHangIsEndedAndTheRestGoesOn) {
  auto o = options(8, 1, [](size_t i) {
    if (i == 2)
      for (;;) {
      }
    if (i == 5) {
      signal(SIGTERM, SIG_IGN);
      for (;;) pause();
    }
    return good(i);
  });
  o.timeout = 0.3;
  const auto start = std::chrono::steady_clock::now();
  run_pool(o);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(messages_,
            (std::vector<std::string>{"", "", "timed out after 0.3 s", "", "", "timed out after 0.3 s", "", ""}));
  EXPECT_GE(seconds, 0.6);
  EXPECT_LT(seconds, 5);
}

TEST_F(PoolTest, ExceptionsAndWantOfMemoryAreSkips) {
  run_pool(options(4, 1, [](size_t i) -> ApiOutcome {
    if (i == 1) throw std::runtime_error("size mismatch");
    if (i == 2) throw std::bad_alloc();
    return good(i);
  }));
  EXPECT_EQ(messages_, (std::vector<std::string>{"", "size mismatch", "out of memory", ""}));
  EXPECT_EQ(shared_->opened, 2);  // the process that ran out of memory was replaced
}

TEST_F(PoolTest, ClosedDescriptorsAndOutputAreContained) {
  run_pool(options(6, 1, [](size_t i) {
    if (i == 1 || i == 4)
      for (int fd = 0; fd < 4096; ++fd) close(fd);
    if (i == 2) {
      for (int k = 0; k < 100; ++k) EXPECT_EQ(write(1, "mp\x01\x03 garbage", 12), 12);
      char c;
      EXPECT_EQ(read(0, &c, 1), 0);  // nothing to read: no API waits for the user
    }
    if (i == 4)
      for (;;) pause();  // closes all and stays
    return good(i);
  }));
  const std::string closed = "crashed: closed the descriptors of its process";
  EXPECT_EQ(messages_, (std::vector<std::string>{"", closed, "", "", closed, ""}));
}

TEST_F(PoolTest, GarbageOnTheProtocolChannelCostsOneApi) {
  run_pool(options(4, 1, [](size_t i) {
    if (i == 2)
      for (int fd = 3; fd < 2048; ++fd) {
        [[maybe_unused]] ssize_t n = write(fd, "what is this", 12);
      }
    return good(i);
  }));
  EXPECT_EQ(messages_, (std::vector<std::string>{"", "", "crashed: wrote into the channel of its process", ""}));
}

TEST_F(PoolTest, ADeviceThatNeverOpensEndsTheRunWithItsError) {
  auto o = options(5, 2, good);
  o.open = [this](const Place&) -> Checker {
    ++shared_->opened;
    throw Error("npu", "no NPU was found", "use --device_type cpu");
  };
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_THAT(result.error, testing::MatchesRegex("device [01]: npu: no NPU was found; use --device_type cpu"));
  EXPECT_LE(shared_->opened, 2);
  EXPECT_TRUE(apis_.empty());
}

TEST_F(PoolTest, ADeviceThatFailsTenTimesInARowEndsTheRun) {
  auto o = options(20, 1, [](size_t i) { return good(i); });
  o.open = [this](const Place&) {
    const int n = ++shared_->opened;
    if (n > 1) die(SIGSEGV);  // in the driver
    Checker checker;
    checker.check = [](size_t i) {
      if (i == 4) raise(SIGKILL);
      return good(i);
    };
    return checker;
  };
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_EQ(result.error, "device 0 failed 10 times in a row, at last: crashed: SIGSEGV (segmentation fault)");
  EXPECT_EQ(result.written, 4u);  // what was done is kept
  EXPECT_EQ(shared_->opened, 1 + kMaxDeviceFailures);
}

TEST_F(PoolTest, ALostDeviceIsOpenedAgain) {
  auto o = options(6, 1, good);
  o.open = [this](const Place&) {
    ++shared_->opened;
    auto lost = std::make_shared<bool>(false);
    Checker checker;
    checker.check = [lost](size_t i) {
      *lost = i == 2;
      return i == 2 ? outcome::skipped_outcome(name(i), "CUDA error: an illegal memory access was encountered")
                    : good(i);
    };
    checker.healthy = [lost] { return !*lost; };
    return checker;
  };
  EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
  EXPECT_EQ(apis_, names(6));
  EXPECT_EQ(messages_[2], "CUDA error: an illegal memory access was encountered");
  EXPECT_EQ(shared_->opened, 2);
}

TEST_F(PoolTest, AWriteThatFailsEndsTheRunAndKeepsWhatIsWritten) {
  auto o = options(10, 2, good);
  auto write = o.write;
  o.write = [&](const ApiOutcome& outcome) {
    if (apis_.size() == 3) throw Error("result.csv", "cannot be written: No space left on device");
    return write(outcome);
  };
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kCouldNotFinish);
  EXPECT_EQ(result.error, "result.csv: cannot be written: No space left on device");
  EXPECT_EQ(apis_, names(3));
}

TEST_F(PoolTest, TheWriterMayEndTheRun) {
  auto o = options(100, 2, good);
  o.write = [&](const ApiOutcome& outcome) {
    apis_.push_back(outcome.api);
    return apis_.size() < 5;
  };
  EXPECT_EQ(run_pool(o).end, RunEnd::kFinished);
  EXPECT_EQ(apis_, names(5));
}

TEST_F(PoolTest, OneInterruptionFinishesTheApiAtHand) {
  auto o = options(50, 1, [this](size_t i) {
    if (i == 7) {
      kill(getppid(), SIGINT);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return good(i);
  });
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kInterrupted);
  EXPECT_EQ(result.signal, SIGINT);
  EXPECT_EQ(apis_, names(8));
  EXPECT_EQ(shared_->begun[8], 0);
}

TEST_F(PoolTest, TwoInterruptionsEndTheRunNow) {
  auto o = options(50, 1, [](size_t i) {
    if (i == 7) {
      kill(getppid(), SIGTERM);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      kill(getppid(), SIGTERM);
      std::this_thread::sleep_for(std::chrono::seconds(30));
    }
    return good(i);
  });
  const auto start = std::chrono::steady_clock::now();
  const PoolResult result = run_pool(o);
  EXPECT_EQ(result.end, RunEnd::kInterrupted);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(apis_, names(7));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5);
}

TEST_F(PoolTest, WorkersDoNotTakeTheUsersInterruption) {
  // Ctrl-C reaches the whole process group.
  run_pool(options(3, 1, [](size_t i) {
    for (int number : {SIGINT, SIGTERM, SIGHUP}) raise(number);
    return good(i);
  }));
  EXPECT_EQ(messages_, (std::vector<std::string>{"", "", ""}));
}

TEST_F(PoolTest, SignalHandlersArePutBack) {
  struct sigaction before {
  }, after{};
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGXFSZ}) {
    sigaction(number, nullptr, &before);
    run_pool(options(1, 1, good));
    sigaction(number, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler) << number;
  }
}

TEST_F(PoolTest, NoDescriptorOrProcessIsLeftBehind) {
  auto open_files = [] {
    size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
    return n;
  };
  const size_t before = open_files();
  run_pool(options(20, 4, [](size_t i) -> ApiOutcome {
    if (i % 5 == 0) abort();
    return good(i);
  }));
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child
}

}  // namespace
}  // namespace msprobe::pool
