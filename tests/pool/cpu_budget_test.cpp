#include "pool/cpu_budget.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

namespace msprobe::pool {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Another worker: takes `threads`, says whether it got them, and holds them until it is told to end.
class Worker {
 public:
  Worker(CpuBudget& budget, int threads) {
    EXPECT_EQ(pipe(said_), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const char got = budget.take(threads, 0) ? 1 : 0;
      if (write(said_[1], &got, 1) != 1) _exit(1);
      for (;;) pause();
    }
    char got = 0;
    EXPECT_EQ(read(said_[0], &got, 1), 1);
    took = got != 0;
  }
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(said_[0]);
    close(said_[1]);
  }
  bool took = false;

 private:
  pid_t pid_ = -1;
  int said_[2] = {-1, -1};
};

TEST(ThreadsForTest, DependOnTheEstimateAndTheBudgetAlone) {
  struct Case {
    double seconds;
    int budget, threads;
  };
  for (const Case& c : {Case{0, 8, 1}, Case{0.0199, 8, 1}, Case{0.020, 8, 4}, Case{0.039, 8, 4}, Case{0.040, 8, 8},
                        Case{0.020, 1, 1}, Case{0.020, 2, 2}, Case{0.020, 3, 3}, Case{0.020, 6, 4}, Case{0.030, 6, 6},
                        Case{1, 192, 192}, Case{0.9, 192, 128}, Case{1e300, 64, 64}})
    EXPECT_EQ(threads_for(c.seconds, c.budget), c.threads) << c.seconds << " s, " << c.budget;
}

TEST(CpuBudgetTest, GivesNoMoreThanThereAre) {
  CpuBudget budget(8);
  Worker first(budget, 4);
  EXPECT_TRUE(first.took);
  EXPECT_FALSE(budget.take(8, 0));
  Worker second(budget, 4);
  EXPECT_TRUE(second.took);
  Worker third(budget, 2);
  EXPECT_FALSE(third.took);
}

TEST(CpuBudgetTest, OneThreadIsAlwaysThere) {
  CpuBudget budget(4);
  Worker all(budget, 4);
  EXPECT_TRUE(all.took);
  EXPECT_TRUE(budget.take(1, 0));
}

TEST(CpuBudgetTest, WhatAWorkerHeldIsFreeWhenItIsKilled) {
  CpuBudget budget(4);
  {
    Worker all(budget, 4);
    ASSERT_TRUE(all.took);
    ASSERT_FALSE(budget.take(4, 0));
  }
  EXPECT_TRUE(budget.take(4, 0));
}

TEST(CpuBudgetTest, GivenBackOrChangedItIsThereForOthers) {
  CpuBudget budget(4);
  ASSERT_TRUE(budget.take(4, 0));
  budget.give_back();
  { EXPECT_TRUE(Worker(budget, 4).took); }
  ASSERT_TRUE(budget.take(4, 0));
  ASSERT_TRUE(budget.take(2, 0));
  EXPECT_TRUE(Worker(budget, 2).took);
}

TEST(CpuBudgetTest, WaitsForAWorkerThatHangsOnce) {
  CpuBudget budget(2);
  {
    Worker hangs(budget, 2);
    bool got = true;
    EXPECT_GE(seconds_of([&] { got = budget.take(2, 0.2); }), 0.2);
    EXPECT_FALSE(got);
    EXPECT_LT(seconds_of([&] { got = budget.take(2, 60); }), 10);
    EXPECT_FALSE(got);
  }
  EXPECT_TRUE(budget.take(2, 0));
}

}  // namespace
}  // namespace msprobe::pool
