#include "pool/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "outcome/skipped.h"

namespace msprobe::pool {
namespace {

using testing::ElementsAre;

outcome::ApiOutcome outcome(uint32_t job) {
  return outcome::skipped_outcome(std::to_string(job), "x");
}

TEST(SchedulerTest, TheDearestOfTheWindowComesFirst) {
  const std::vector<double> costs = {1, 5, 3, 9, 2};
  Scheduler scheduler(5, 3, 100, [&](size_t i) { return costs[i]; });
  EXPECT_EQ(scheduler.next(), 1u);
  EXPECT_EQ(scheduler.next(), 2u);
  EXPECT_EQ(scheduler.next(), 0u);
  EXPECT_EQ(scheduler.next(), std::nullopt);  // 3 and 4 are beyond the window until 0 is written
  scheduler.finish(0, outcome(0));
  ASSERT_TRUE(scheduler.pop_ready());
  EXPECT_EQ(scheduler.next(), 3u);
}

TEST(SchedulerTest, RowsComeOutInOrder) {
  Scheduler scheduler(4, 4, 100, [](size_t) { return 0.0; });
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(scheduler.next());
  std::vector<std::string> written;
  for (uint32_t job : {2, 0, 3, 1}) {
    scheduler.finish(job, outcome(job));
    while (auto ready = scheduler.pop_ready()) written.push_back(ready->api);
  }
  EXPECT_THAT(written, ElementsAre("0", "1", "2", "3"));
  EXPECT_TRUE(scheduler.all_written());
}

TEST(SchedulerTest, ABacklogPutsTheOldestFirst) {
  Scheduler scheduler(10, 10, 2, [](size_t i) { return static_cast<double>(i); });
  for (uint32_t job : {9, 8, 7}) {
    ASSERT_EQ(scheduler.next(), job);
    scheduler.finish(job, outcome(job));
  }
  EXPECT_EQ(scheduler.next(), 0u);
  EXPECT_EQ(scheduler.next(), 1u);
}

TEST(SchedulerTest, ARequeuedJobIsHandedOutAgain) {
  Scheduler scheduler(2, 2, 100, [](size_t i) { return static_cast<double>(i); });
  EXPECT_EQ(scheduler.next(), 1u);
  EXPECT_EQ(scheduler.cost(1), 1.0);
  scheduler.requeue(1);
  EXPECT_EQ(scheduler.next(), 1u);
  EXPECT_EQ(scheduler.next(), 0u);
}

TEST(SchedulerTest, CostsAreAskedOnceAJobAndNotBeyondTheWindow) {
  std::vector<int> asked(1000, 0);
  Scheduler scheduler(1000, 8, 100, [&](size_t i) { return static_cast<double>(++asked[i]); });
  for (uint32_t i = 0; i < 100; ++i) {
    const auto job = scheduler.next();
    ASSERT_TRUE(job);
    scheduler.finish(*job, outcome(*job));
    while (scheduler.pop_ready()) {
    }
  }
  EXPECT_EQ(*std::max_element(asked.begin(), asked.end()), 1);
  EXPECT_EQ(std::count(asked.begin() + 108, asked.end(), 0), 892);
}

}  // namespace
}  // namespace msprobe::pool
