#include "pool/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outcome/skipped.h"
#include "pool/job_queue.h"

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

TEST(JobQueueTest, JobsNotBegunCanBeTakenBack) {
  JobQueue* queue = JobQueue::map();
  for (uint32_t job : {10, 11, 12, 13}) queue->put(job);
  EXPECT_EQ(queue->peek(), 10u);
  EXPECT_EQ(queue->taken(), 0u);
  EXPECT_EQ(queue->take(), 10u);
  EXPECT_EQ(queue->take_back(), 3u);
  EXPECT_TRUE(queue->empty());
  EXPECT_EQ(queue->peek(), std::nullopt);
  EXPECT_EQ(queue->take(), std::nullopt);
  queue->put(14);
  EXPECT_EQ(queue->take(), 14u);
  EXPECT_EQ(queue->taken(), 2u);
  JobQueue::unmap(queue);
}

// Whatever the timing, each job is begun by the worker or taken back, never both.
TEST(JobQueueTest, TakingAndTakingBackNeverShareAJob) {
  JobQueue* queue = JobQueue::map();
  constexpr uint32_t kJobs = 200000, kStop = ~0u;
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t child = fork();
  if (child == 0) {
    uint64_t sum = 0;
    for (;;) {
      const auto job = queue->take();
      if (!job) continue;
      if (*job == kStop) break;
      sum += *job;
    }
    _exit(::write(report[1], &sum, sizeof sum) == sizeof sum ? 0 : 1);
  }
  uint64_t taken_back = 0, all = 0;
  uint32_t pending = 0;  // upper bound of what is in the queue
  for (uint32_t job = 1; job <= kJobs; ++job) {
    queue->put(job);
    all += job;
    if (++pending < JobQueue::kCapacity / 2) continue;
    const uint32_t n = queue->take_back();
    for (uint32_t i = 0; i < n; ++i) taken_back += job - i;
    pending = 0;
  }
  queue->put(kStop);
  uint64_t begun = 0;
  ASSERT_EQ(::read(report[0], &begun, sizeof begun), static_cast<ssize_t>(sizeof begun));
  EXPECT_EQ(begun + taken_back, all);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  JobQueue::unmap(queue);
}

}  // namespace
}  // namespace msprobe::pool
