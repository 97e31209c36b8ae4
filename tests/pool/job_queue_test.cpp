#include "pool/job_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace msprobe::pool {
namespace {

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

// Every order in which a worker goes to sleep and a supervisor puts in a job: the worker sees the job when it looks
// once more, or the supervisor sees that it must wake it.
TEST(JobQueueTest, NoWakeUpIsLost) {
  enum Step { kFallAsleep, kLook, kPut, kAskWhetherAsleep };
  constexpr Step kOrders[][4] = {
      {kPut, kAskWhetherAsleep, kFallAsleep, kLook}, {kPut, kFallAsleep, kAskWhetherAsleep, kLook},
      {kPut, kFallAsleep, kLook, kAskWhetherAsleep}, {kFallAsleep, kPut, kAskWhetherAsleep, kLook},
      {kFallAsleep, kPut, kLook, kAskWhetherAsleep}, {kFallAsleep, kLook, kPut, kAskWhetherAsleep}};
  for (const auto& order : kOrders) {
    JobQueue queue;
    ASSERT_TRUE(queue.empty());
    bool seen = false, woken = false;
    for (Step step : order) {
      if (step == kFallAsleep) queue.fall_asleep();
      if (step == kLook) seen = !queue.empty();
      if (step == kPut) queue.put(1);
      if (step == kAskWhetherAsleep) woken = queue.wants_waking();
    }
    EXPECT_TRUE(seen || woken);
    EXPECT_FALSE(queue.wants_waking() && woken) << "one byte wakes it";
    EXPECT_EQ(queue.size(), 1u);
  }
}

}  // namespace
}  // namespace msprobe::pool
